//! Loading for a command, and the problems it finds.

use std::io::Write as _;

use ananke::context::{Context, TerminalSize};
use ananke::diagnostic::Diagnostic;
use ananke::diagnostic::render::{Look, human, summary};
use ananke::plan::{Plan, Selection, plan};
use ananke::project::Variables;
use ananke::redact::Redactor;

use super::arguments::{Colour, SelectionOptions};
use super::exit::Exit;
use super::style::is_coloured;

/// The columns that source lines are drawn in where there is no terminal.
const WIDTH: usize = 120;

/// How many columns around a source line are taken by other things.
const AROUND: usize = 30;

/// What a command loads for.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub(super) struct Purpose {
    /// Whether something will be sent.
    pub(super) sends: bool,
    /// Whether a warning is an error.
    pub(super) deny_warnings: bool,
    /// Whether hooks are left out.
    pub(super) without_hooks: bool,
    /// Whether everything is only looked at.
    pub(super) checks: bool,
    /// Whether each attempt of a test must have a thread of its own.
    pub(super) new_threads: bool,
}

/// Loads what is selected and prints every problem to standard error. Without an error there is a plan.
pub(super) fn load(
    options: &SelectionOptions,
    purpose: Purpose,
    context: &Context,
    redactor: &Redactor,
) -> Result<Plan, Exit> {
    let selection = selection(options, purpose);
    let planned = plan(context, &selection, redactor);
    print(&planned.problems, options.color, context, redactor);
    planned.plan.ok_or(Exit::Failure)
}

/// What is selected, and what for.
pub(super) fn selection(options: &SelectionOptions, purpose: Purpose) -> Selection {
    Selection {
        paths: options.paths.clone(),
        config: options.config.clone(),
        target: options.target.clone(),
        filter: options.filter.clone(),
        tags: options.tags.clone(),
        ids: options.ids.clone(),
        allow_empty: options.allow_empty,
        sends: purpose.sends,
        deny_warnings: purpose.deny_warnings,
        checks: purpose.checks,
        new_threads: purpose.new_threads,
        variables: Variables {
            given: options.variables.iter().cloned().collect(),
            without_hooks: purpose.without_hooks,
            ..Variables::default()
        },
    }
}

/// Prints problems to standard error, with how many there are.
pub(super) fn print(problems: &[Diagnostic], color: Colour, context: &Context, redactor: &Redactor) {
    print_with(problems, "", color, context, redactor);
}

/// Prints problems to standard error, below them lines that belong to the last one, and how many there are.
pub(super) fn print_with(
    problems: &[Diagnostic],
    below: &str,
    color: Colour,
    context: &Context,
    redactor: &Redactor,
) {
    if problems.is_empty() {
        return;
    }
    let coloured = is_coloured(color, context.stderr_is_terminal, context);
    let width = TerminalSize::width(context.stderr_size());
    let masked = redactor.problems(problems, width.unwrap_or(WIDTH).saturating_sub(AROUND));
    let mut text = human(&masked, Look { colour: coloured, width });
    if !below.is_empty() {
        text.truncate(text.trim_end().len());
        text = format!("{text}\n{below}\n");
    }
    let mut stderr = std::io::stderr().lock();
    // A closed standard error ends the printing, nothing else.
    let _ = writeln!(stderr, "{}{}", redactor.text(&text), summary(problems));
}

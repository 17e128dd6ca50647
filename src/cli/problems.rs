//! Loading for a command, and the problems it finds.

use std::io::Write as _;

use ananke::context::Context;
use ananke::diagnostic::Diagnostic;
use ananke::diagnostic::render::{Look, human, summary};
use ananke::plan::{Plan, Selection, Supply, plan};
use ananke::redact::Redactor;

use super::arguments::SelectionOptions;
use super::exit::Exit;
use super::style::is_coloured;

/// Loads what is selected and prints every problem to standard error. Without an error there is a plan.
pub(super) fn load(
    options: &SelectionOptions,
    sends: bool,
    without_hooks: bool,
    context: &Context,
    redactor: &Redactor,
) -> Result<Plan, Exit> {
    let selection = Selection {
        paths: options.paths.clone(),
        config: options.config.clone(),
        filter: options.filter.clone(),
        allow_empty: options.allow_empty,
        sends,
        supply: Supply { given: options.variables.iter().cloned().collect(), without_hooks },
    };
    let planned = plan(context, &selection, redactor);
    print(&planned.problems, options, context, redactor);
    planned.plan.ok_or(Exit::Failure)
}

fn print(problems: &[Diagnostic], options: &SelectionOptions, context: &Context, redactor: &Redactor) {
    if problems.is_empty() {
        return;
    }
    let coloured = is_coloured(options.color, context.stderr_is_terminal, context);
    let text = human(problems, Look { colour: coloured, ..Look::default() });
    let mut stderr = std::io::stderr().lock();
    // A closed standard error ends the printing, nothing else.
    let _ = writeln!(stderr, "{}{}", redactor.text(&text), summary(problems));
}

//! Prints problems to standard error.

use std::io::Write as _;

use ananke::context::{Context, TerminalSize};
use ananke::diagnostic::Diagnostic;
use ananke::diagnostic::render::{Look, human, summary};
use ananke::redact::Redactor;

use super::colour::{Colour, is_coloured};

/// The columns that source lines are drawn in where there is no terminal.
const WIDTH: usize = 120;

/// How many columns around a source line are taken by other things.
const AROUND: usize = 30;

/// Prints problems to standard error, with how many there are.
pub(super) fn print_problems(problems: &[Diagnostic], color: Colour, context: &Context, redactor: &Redactor) {
    print_problems_above(problems, "", color, context, redactor);
}

/// The same with `below` as further lines of the last problem.
pub(super) fn print_problems_above(
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

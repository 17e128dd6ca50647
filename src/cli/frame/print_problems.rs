//! Prints problems to standard error.

use super::colour::{Colour, colouring};
use super::print::say_styled;
use ananke::context::{Context, OutputStream, TerminalSize};
use ananke::diagnostic::render::{RenderStyle, human, summary};
use ananke::diagnostic::{Diagnostic, Severity, folded};
use ananke::redact::Redactor;

/// The columns that source lines are drawn in where there is no terminal.
const WIDTH: usize = 120;

/// The number of columns around a source line that other things take.
const AROUND: usize = 30;

/// The number of problems that are printed: more than anybody reads.
const MOST_PRINTED: usize = 100;

/// The number of kinds of problems that the last line offers to explain.
const MOST_CODES: usize = 3;

/// Prints problems to standard error, with how many there are.
pub(crate) fn print_problems(
    problems: &[Diagnostic],
    color: Colour,
    context: &Context,
    redactor: &Redactor,
) {
    print_problems_above(problems, "", color, context, redactor);
}

/// The same with `below` as further lines of the last problem.
pub(crate) fn print_problems_above(
    problems: &[Diagnostic],
    below: &str,
    color: Colour,
    context: &Context,
    redactor: &Redactor,
) {
    if problems.is_empty() {
        return;
    }
    let width = TerminalSize::width(context.size_of(OutputStream::Stderr));
    let shown = folded(problems);
    let printed = first(&shown);
    let masked = redactor.problems(&printed, width.unwrap_or(WIDTH).saturating_sub(AROUND));
    let mut text = human(
        &masked,
        RenderStyle {
            colour: colouring(color, OutputStream::Stderr, context),
            width,
        },
    );
    if !below.is_empty() {
        text.truncate(text.trim_end().len());
        text = format!("{text}\n{below}\n");
    }
    let rest = match shown.len() - printed.len() {
        0 => String::new(),
        more => format!("and {more} more, which are not shown here\n\n"),
    };
    say_styled(&format!(
        "{}{rest}{}\n{}\n",
        redactor.text(&text),
        summary(problems),
        explained(&printed)
    ));
}

/// The hint for reading more about the first kinds of problems.
fn explained(problems: &[Diagnostic]) -> String {
    let mut codes: Vec<&str> = Vec::new();
    let (errors, warnings): (Vec<_>, Vec<_>) = problems
        .iter()
        .partition(|problem| problem.severity == Severity::Error);
    for code in errors
        .iter()
        .chain(&warnings)
        .map(|problem| problem.code.as_str())
    {
        if !codes.contains(&code) && codes.len() < MOST_CODES {
            codes.push(code);
        }
    }
    let commands: Vec<String> = codes
        .iter()
        .map(|code| format!("`ananke explain {code}`"))
        .collect();
    format!("For more: {}", commands.join(", "))
}

/// The problems that are printed, in their order: no error is omitted before a warning is.
fn first(problems: &[Diagnostic]) -> Vec<Diagnostic> {
    let errors = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .count();
    let (mut errors, mut warnings) = (MOST_PRINTED, MOST_PRINTED.saturating_sub(errors));
    let mut is_first = |problem: &&Diagnostic| {
        let left = if problem.severity == Severity::Error {
            &mut errors
        } else {
            &mut warnings
        };
        let is_first = *left > 0;
        *left = left.saturating_sub(1);
        is_first
    };
    problems
        .iter()
        .filter(|problem| is_first(problem))
        .cloned()
        .collect()
}

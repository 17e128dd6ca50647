//! The screen on which people see the events before the first test and after the last.

use std::io::Write as _;

use super::Outputs;
use crate::cli::frame::{Colour, print_problems, print_problems_above};
use ananke::context::{Context, OutputStream, TerminalSize};
use ananke::diagnostic::Diagnostic;
use ananke::redact::Redactor;
use ananke::report::terminal::{LiveArea, last_words};

/// The screen for the state of servers and of `setup`.
#[derive(Clone, Copy)]
pub(crate) struct Screen<'a> {
    pub(crate) live: Option<&'a LiveArea>,
    /// Whether there are no notes.
    pub(crate) is_quiet: bool,
    pub(crate) colour: Colour,
    pub(crate) context: &'a Context,
    pub(crate) redactor: &'a Redactor,
    pub(crate) outputs: &'a Outputs,
}

impl Screen<'_> {
    /// Shows what is waited for in the live area.
    pub(crate) fn wait_for(&self, what: Option<&str>) {
        let what = what.map(|what| self.redactor.text(what));
        self.live
            .into_iter()
            .for_each(|live| live.wait_for(what.as_deref()));
    }

    /// Prints a note, unless the run is quiet.
    pub(crate) fn note(&self, note: &str) {
        if !self.is_quiet {
            let _ = writeln!(
                self.outputs.stderr.clone(),
                "note: {}",
                self.redactor.text(note)
            );
        }
    }

    /// Prints problems.
    pub(crate) fn print_problems(&self, problems: &[Diagnostic]) {
        print_problems(problems, self.colour, self.context, self.redactor);
    }

    /// Prints a problem, and under it the end of what its program printed.
    pub(crate) fn print_problem(&self, problem: Diagnostic, printed: &str) {
        let width = TerminalSize::width(self.context.size_of(OutputStream::Stderr));
        let printed = last_words(printed, width);
        print_problems_above(
            &[problem],
            &printed,
            self.colour,
            self.context,
            self.redactor,
        );
    }
}

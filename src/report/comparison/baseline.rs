//! A run that is compared with an earlier one while it goes.

use std::io::{self, Write};
use std::path::Path;

use super::digest::Whole;
use super::reader::read_line;
use super::{Comparing, Known, Rules, Side};
use crate::context::TerminalSize;
use crate::diagnostic::Diagnostic;
use crate::redact::Sealed;
use crate::report::Reporter;
use crate::report::json_lines::result_line;
use crate::run::RunEvent;

/// The report of the earlier run.
#[derive(Debug)]
pub struct Baseline(Known);

impl Baseline {
    /// Reads the report at `path`, which messages call `name`.
    ///
    /// # Errors
    /// Where it cannot be read, or is no whole report.
    pub fn read(path: &Path, name: &str) -> Result<Self, Diagnostic> {
        Known::read(path, name).map(Self)
    }
}

/// Tells people what changed when the run is over. It changes no verdict.
pub struct BaselineReport {
    out: Box<dyn Write + Send>,
    colour: bool,
    size: fn() -> Option<TerminalSize>,
    of_everything: bool,
    comparing: Comparing,
    tests: usize,
    elapsed_us: Option<u64>,
    exit_code: Option<i64>,
}

impl BaselineReport {
    /// A report on `out` of what changed since `baseline`, wrapped at the width of the terminal where there is one. A run
    /// `of_everything` tells which tests are gone; of a part of the tests nobody knows.
    pub fn new(
        out: Box<dyn Write + Send>,
        colour: bool,
        size: fn() -> Option<TerminalSize>,
        baseline: Baseline,
        of_everything: bool,
    ) -> Self {
        let comparing = Comparing::new(baseline.0, Rules::default().noise);
        Self { out, colour, size, of_everything, comparing, tests: 0, elapsed_us: None, exit_code: None }
    }
}

impl Reporter for BaselineReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        match &**event {
            RunEvent::CaseFinished(outcome) => {
                self.tests += 1;
                // Read back from the words of the report, so that a run is compared as its report would be.
                if let Some(test) = read_line(&result_line(outcome)?) {
                    self.comparing.take(test);
                }
            }
            RunEvent::RunFinished { verdict, elapsed_us, interrupted } => {
                self.elapsed_us = Some(*elapsed_us);
                self.exit_code = Some(if *interrupted { 130 } else { i64::from(!verdict.is_pass()) });
            }
            RunEvent::RunStarted { .. }
            | RunEvent::CaseStarted { .. }
            | RunEvent::TurnStarted { .. }
            | RunEvent::Retrying { .. }
            | RunEvent::ServerEnded { .. }
            | RunEvent::ObsoleteSnapshots { .. }
            | RunEvent::CaseEnded { .. } => {}
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let Self { mut out, colour, size, of_everything, comparing, tests, elapsed_us, exit_code } = *self;
        let whole = Whole { total: tests, elapsed_us, exit_code };
        let comparison = comparing.finish(Side { name: "this run".to_owned(), whole }, of_everything, &[]);
        let text = comparison.text_below(colour, TerminalSize::width(size));
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            // A reader that has gone away ends the printing, nothing else.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}

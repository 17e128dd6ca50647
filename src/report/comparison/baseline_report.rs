//! A run that is compared with an earlier one while it goes.

use std::io::{self, Write};

use crate::compare::{Baseline, ComparedRun, ComparisonBuilder, ComparisonRules, RunSummary, read_line};
use crate::context::TerminalSize;
use crate::redact::Sealed;
use crate::report::file::json::result_line;
use crate::report::reporter::Reporter;
use crate::run::RunEvent;

/// Prints what changed when the run is over. It changes no verdict.
pub struct BaselineReport {
    out: Box<dyn Write + Send>,
    colour: bool,
    size: fn() -> Option<TerminalSize>,
    of_everything: bool,
    comparing: ComparisonBuilder,
    tests: usize,
    elapsed_us: Option<u64>,
    exit_code: Option<i64>,
}

impl BaselineReport {
    /// A report on `out` of what changed since `baseline`, wrapped at the width of the terminal where there is one. A run
    /// `of_everything` reports removed tests; a run of some tests cannot know them.
    pub fn new(
        out: Box<dyn Write + Send>,
        colour: bool,
        size: fn() -> Option<TerminalSize>,
        baseline: Baseline,
        of_everything: bool,
    ) -> Self {
        let comparing = ComparisonBuilder::new(baseline, ComparisonRules::default().noise);
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
                    self.comparing.add(test);
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
        let summary = RunSummary { total: tests, elapsed_us, exit_code };
        let comparison =
            comparing.finish(ComparedRun { name: "this run".to_owned(), summary }, of_everything, &[]);
        let text = comparison.text_below(colour, TerminalSize::width(size));
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            // A reader that has gone away ends the printing, nothing else.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}

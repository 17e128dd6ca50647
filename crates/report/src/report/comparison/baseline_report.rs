//! A run that is compared with an earlier one while it goes.

use std::io::{self, Write};

use crate::compare::{
    Baseline, ComparedRun, ComparisonBuilder, ComparisonRules, Coverage, RunSummary, read_line,
};
use crate::report::file::json::result_line;
use crate::report::reporter::Reporter;
use crate::report::run_totals::RunTotals;
use crate::report::stream::Stream;
use ananke_base::context::{Colouring, TerminalSize};
use ananke_engine::run::RunEvent;
use ananke_trace::redact::Sealed;

/// Prints what changed when the run is over. It changes no verdict.
pub struct BaselineReport {
    out: Stream,
    colour: Colouring,
    size: fn() -> Option<TerminalSize>,
    coverage: Coverage,
    comparing: ComparisonBuilder,
    run: RunTotals,
}

impl BaselineReport {
    /// A report on `out` of what changed since `baseline`, wrapped at the width of the terminal, if there is one. A
    /// run of all tests reports removed tests; a run of some tests cannot know them.
    pub fn new(
        out: Box<dyn Write + Send>,
        colour: Colouring,
        size: fn() -> Option<TerminalSize>,
        baseline: Baseline,
        coverage: Coverage,
    ) -> Self {
        let comparing = ComparisonBuilder::new(baseline, ComparisonRules::default().noise);
        Self {
            out: Stream::new(out),
            colour,
            size,
            coverage,
            comparing,
            run: RunTotals::default(),
        }
    }
}

impl Reporter for BaselineReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.run.add(event);
        if let RunEvent::CaseFinished(outcome) = &**event {
            // Read back from the words of the report, so that a run is compared as its report would be.
            if let Some(test) = read_line(&result_line(outcome)?) {
                self.comparing.add(test);
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let Self {
            mut out,
            colour,
            size,
            coverage,
            comparing,
            run,
        } = *self;
        let summary = RunSummary {
            total: run.totals.tests(),
            elapsed_us: run.end.as_ref().map(|end| end.elapsed_us),
            exit_code: run.exit_code().map(i64::from),
        };
        let comparison = comparing.finish(
            ComparedRun {
                name: "this run".to_owned(),
                summary,
            },
            coverage,
            &[],
        );
        out.print(&comparison.text_below(colour, TerminalSize::width(size)))
    }
}

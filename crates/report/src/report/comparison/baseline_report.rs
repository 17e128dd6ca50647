//! A run that is compared with an earlier one while it goes.

use std::io::{self, Write};

use crate::compare::{
    Baseline, ComparedRun, ComparedSide, ComparisonBuilder, ComparisonRules, Coverage, RunSummary,
    TestSummary,
};
use crate::report::{Reporter, reporter::Stream};
use crate::run_document::RunTotals;
use ananke_base::context::{Colouring, TerminalSize};
use ananke_trace::outcome::RunEvent;
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
            self.comparing.add(TestSummary::of(outcome));
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
        let run = ComparedRun {
            name: "this run".to_owned(),
            summary,
        };
        let comparison = comparing.finish(
            ComparedSide {
                tests: run.summary.total,
                runs: vec![run],
            },
            coverage,
            &[],
        );
        out.print(&comparison.text_below(colour, TerminalSize::width(size)))
    }
}

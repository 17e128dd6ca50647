//! The options about tests that run several times.

use super::bounded::bounded;
use ananke::model::TestRuns;
use ananke::project::{GivenRuns, RunCounts};
use ananke::statistics::Percentage;
use clap::Args;

/// How often tests run, and what their runs must come to.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct RepeatOptions {
    /// Run every test N times, each time with fresh hooks and a new thread, and report how stable it is; a test passes
    /// if all its runs do
    #[arg(long, value_name = "N", value_parser = runs, conflicts_with = "retries")]
    pub(crate) runs: Option<u32>,
    /// Run every test until it is known whether its pass rate is good (95%) or bad (80%), with 5% error, in at most 60
    /// runs; the `runs` of a test or of the config set other numbers
    #[arg(long, conflicts_with_all = ["runs", "retries"])]
    pub(crate) runs_until_decided: bool,
    /// The share of the runs of a test that must pass (default: `100%`)
    #[arg(long, value_name = "PERCENT", value_parser = Percentage::parse)]
    pub(crate) min_pass_rate: Option<Percentage>,
    /// Run every test twice and report how many verdicts differ: the noise of the suite. A test that passes once does
    /// not fail
    #[arg(long)]
    pub(crate) a_a: bool,
}

impl RepeatOptions {
    /// The number of runs of tests, as far as the command line gives it.
    pub(super) fn counts(self) -> RunCounts {
        let until_decided = self.runs_until_decided.then_some(GivenRuns::UntilDecided);
        let given = self.runs.map(GivenRuns::Times).or(until_decided);
        RunCounts {
            given,
            min_pass_rate: self.min_pass_rate,
            ..RunCounts::default()
        }
    }
}

fn runs(text: &str) -> Result<u32, String> {
    bounded(text, &TestRuns::COUNT)
}

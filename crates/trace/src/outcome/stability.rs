//! The result of all runs of a test that runs several times.
//!
//! **Invariant:** its size does not depend on the number of runs: of those that failed for one reason a single one is kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checkpoint_runs::CheckpointRuns;
use super::failed_runs::FailedRuns;
use super::run_policy::RunPolicy;
use super::token_totals::TokenTotals;
use ananke_base::statistics::{DurationStatistics, Interval, StabilityClass, exact_interval};
use ananke_derive::Mask;

/// What decided a test that ran several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunsVerdict")]
pub enum StabilityVerdict {
    /// Enough runs passed.
    Passed,
    /// Too many runs failed.
    Failed,
    /// A prohibition was violated, which a sequential test does not forgive.
    Violated,
    /// A run could not be recorded or replayed, which ends the test.
    Broken,
    /// The last run that was allowed decided nothing.
    Undecided,
    /// The run of all tests was stopped before.
    Stopped,
}

/// The result of all runs of a test.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct Stability {
    /// The policy for the number of runs.
    #[mask(skip)]
    pub policy: RunPolicy,
    /// The number of runs that passed.
    pub passed: u32,
    /// The number of runs that did not pass.
    pub failed: u32,
    /// The decision.
    #[mask(skip)]
    pub verdict: StabilityVerdict,
    /// The agent's time in each run.
    #[mask(skip)]
    pub durations: DurationStatistics,
    /// The number of turns that were sent in all runs.
    pub turns: usize,
    /// The tokens of all runs.
    #[mask(skip)]
    pub tokens: TokenTotals,
    /// The number of runs that reached each checkpoint of a simulated conversation, in the order of the test.
    pub checkpoints: Vec<CheckpointRuns>,
    /// The runs that did not pass, by reason; the most frequent first.
    pub failures: Vec<FailedRuns>,
    /// The number of further runs that did not pass, for reasons that are not listed.
    pub further_failed: u32,
}

impl Stability {
    /// The number of runs.
    pub fn runs(&self) -> u32 {
        self.passed + self.failed
    }

    /// The share of runs that passed, in per cent: 0 to 100.
    pub fn pass_rate(&self) -> f64 {
        100.0 * f64::from(self.passed) / f64::from(self.runs().max(1))
    }

    /// The interval of the pass rate with a confidence of 95 %, from 0 to 1.
    pub fn interval(&self) -> Interval {
        exact_interval(self.passed, self.runs())
    }

    /// The class of its stability.
    pub fn class(&self) -> StabilityClass {
        StabilityClass::of(self.passed, self.runs())
    }
}

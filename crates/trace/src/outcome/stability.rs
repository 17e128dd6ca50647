//! The result of all runs of a test that runs several times.
//!
//! **Why:** A hundred runs of one test are counts and a specimen for each reason. The number of passes is asked for,
//! not a hundred transcripts, and memory must not depend on the number of runs.
//!
//! **Invariant:** its size does not depend on the number of runs: of those that failed for one reason a single one is kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CheckpointRuns, Status, TokenTotals};
use ananke_base::statistics::{
    DurationStatistics, Interval, Percentage, SequentialTest, Spread, StabilityClass,
    exact_interval,
};
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
    /// The tokens of a run, of the runs that reported all of theirs; `None` if none did.
    #[serde(default)]
    #[mask(skip)]
    pub token_spread: Option<Spread>,
    /// The cost of a run in parts of a dollar, of the runs whose cost is known; `None` if no cost is.
    #[serde(default)]
    #[mask(skip)]
    pub cost_spread: Option<Spread>,
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

/// The number of runs of a test of which one run is not enough, and the decision after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunPolicy {
    /// As often as it says.
    Times {
        /// The number of runs; at least two.
        runs: u32,
        /// The least share of them that has to pass.
        min_pass_rate: Percentage,
    },
    /// Until it is decided whether its pass rate is good or bad.
    UntilDecided(SequentialTest),
}

impl RunPolicy {
    /// The most runs.
    pub fn most_runs(self) -> u32 {
        match self {
            Self::Times { runs, .. } => runs,
            Self::UntilDecided(test) => test.max,
        }
    }
}

/// The most runs that are listed by their numbers.
const LISTED: usize = 20;

/// The runs that did not pass for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
pub struct FailedRuns {
    /// How the first of them ended.
    #[mask(skip)]
    pub status: Status,
    /// The rule that failed, or the kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// The finding of the first of them.
    pub message: String,
    /// How many there are.
    pub count: u32,
    /// Their numbers, from 1: at most the first 20. The first of them is in `other_runs`, unless it is the run that is `shown`.
    pub runs: Vec<u32>,
}

impl FailedRuns {
    /// Counts one more run with the same reason.
    pub fn add(&mut self, run: u32) {
        self.count += 1;
        if self.runs.len() < LISTED {
            self.runs.push(run);
        }
    }
}

/// Both verdicts of a test that ran twice under the same conditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfComparison {
    /// The first verdict and the second.
    pub verdicts: [Status; 2],
    /// The number of turns of the side that is not shown.
    pub turns: usize,
    /// The tokens of that side.
    pub tokens: TokenTotals,
}

impl SelfComparison {
    /// Whether one verdict is a pass and the other is not: nothing but chance is between them.
    pub fn is_flip(&self) -> bool {
        let [first, second] = self.verdicts.map(Status::fails_the_run);
        first != second
    }
}

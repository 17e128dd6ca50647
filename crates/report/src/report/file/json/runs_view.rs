//! What several runs of a test came to, as readers get it.

use schemars::JsonSchema;
use serde::Serialize;

use super::verdict_view::StatusView;

/// How stable a test is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Stability")]
pub(super) enum StabilityView {
    /// All runs passed.
    Stable,
    /// At least 80 % passed.
    MostlyStable,
    /// At least 50 % passed.
    Unstable,
    /// Less than 50 % passed.
    HighlyUnstable,
}

/// What decided a test that ran several times.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunsVerdict")]
pub(super) enum RunsVerdictView {
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

/// All runs of a test.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Runs")]
pub(super) struct RunsView<'a> {
    /// The number of runs.
    pub(super) total: u32,
    /// How many of them passed.
    pub(super) passed: u32,
    /// How many of them did not.
    pub(super) failed: u32,
    /// What decided the test.
    pub(super) verdict: RunsVerdictView,
    /// The most runs that there could be.
    pub(super) max: u32,
    /// The share of a fixed number of runs that had to pass, in per cent; omitted for a sequential test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_pass_rate: Option<f64>,
    /// The rates between which a sequential test decided; omitted for a fixed number of runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) until_decided: Option<SequentialView>,
    /// Where the pass rate is with a confidence of 95 %, in per cent: the exact interval of Clopper and Pearson.
    pub(super) interval: IntervalView,
    /// How several tries would end, for some numbers of tries.
    pub(super) estimates: Vec<EstimateView>,
    /// The agent's time in a run, in milliseconds.
    pub(super) duration_ms: DurationsView,
    /// How many turns were sent in all runs.
    pub(super) total_turns: usize,
    /// The run that all other fields of the result are about, from 1: the first that failed, or the one that decided the test;
    /// the last one if the test passed.
    pub(super) shown: u32,
    /// How often each checkpoint of a simulated conversation was reached, in the order of the test; omitted if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) checkpoints: Vec<CheckpointRunsView<'a>>,
    /// The runs that did not pass, by reason, the most frequent first: at most ten reasons.
    pub(super) failures: Vec<FailedRunsView<'a>>,
    /// How many more runs did not pass, for reasons that are not listed; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) further_failed: Option<u32>,
}

/// The rates between which a sequential test decides.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "UntilDecided")]
pub(super) struct SequentialView {
    /// The pass rate of a good agent, in per cent.
    pub(super) good: f64,
    /// The pass rate of a bad agent, in per cent.
    pub(super) bad: f64,
    /// How often either verdict may be wrong, in per cent.
    pub(super) error: f64,
}

/// Where a rate is with a confidence of 95 %, in per cent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Interval")]
pub(in crate::report) struct IntervalView {
    /// The lower end.
    pub(in crate::report) low: f64,
    /// The upper end.
    pub(in crate::report) high: f64,
}

/// How `k` tries would end, in per cent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Estimate")]
pub(super) struct EstimateView {
    /// The number of tries.
    pub(super) k: u32,
    /// pass@k: the probability that at least one of them passes, without bias.
    pub(super) pass_at_k: f64,
    /// Where it is with a confidence of 95 %.
    pub(super) pass_at_k_interval: IntervalView,
    /// pass^k: the probability that all of them pass, without bias.
    pub(super) pass_hat_k: f64,
    /// Where it is with a confidence of 95 %.
    pub(super) pass_hat_k_interval: IntervalView,
}

/// Durations in milliseconds with up to three decimals.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Durations")]
pub(super) struct DurationsView {
    /// The average.
    pub(super) average: f64,
    /// The shortest.
    pub(super) min: f64,
    /// The longest.
    pub(super) max: f64,
    /// The standard deviation of the sample.
    pub(super) standard_deviation: f64,
}

/// A checkpoint in several runs of its test.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckpointRuns")]
pub(super) struct CheckpointRunsView<'a> {
    /// The id of the checkpoint.
    pub(super) id: &'a str,
    /// Whether the test fails without it.
    pub(super) required: bool,
    /// How many runs reached it.
    pub(super) reached: u32,
    /// The smallest number of the turn that reached it, from 1; omitted if no run did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_turn: Option<u32>,
    /// The largest number of that turn; omitted if no run did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last_turn: Option<u32>,
}

/// The runs that did not pass for one reason.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FailedRuns")]
pub(super) struct FailedRunsView<'a> {
    /// How the first of them ended.
    pub(super) status: StatusView,
    /// The rule that failed, or the kind of problem.
    #[serde(rename = "type")]
    pub(super) kind: &'a str,
    /// The finding of the first of them.
    pub(super) message: &'a str,
    /// How many there are.
    pub(super) count: u32,
    /// Their numbers, from 1: at most the first 20. The first of them is in `other_runs`, unless it is the run that is `shown`.
    pub(super) runs: &'a [u32],
}

/// Both verdicts of a test that ran twice, because the suite was compared with itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SelfComparison")]
pub(super) struct SelfComparisonView {
    /// The first verdict and the second.
    pub(super) verdicts: [StatusView; 2],
    /// Whether exactly one of them is a pass.
    pub(super) flipped: bool,
}

/// How many tests of a suite that was compared with itself have two verdicts.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FlipCounts")]
pub(in crate::report) struct FlipCounts {
    /// The number of tests that ran twice.
    pub(in crate::report) compared: u32,
    /// How many of them passed exactly once.
    pub(in crate::report) flipped: u32,
    /// Their share, in per cent.
    pub(in crate::report) flip_rate: f64,
    /// Where the flip rate is with a confidence of 95 %, in per cent.
    pub(in crate::report) interval: IntervalView,
}

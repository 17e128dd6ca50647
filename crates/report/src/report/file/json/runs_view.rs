//! What several runs of a test came to, as readers get it.

use schemars::JsonSchema;
use serde::Serialize;

use ananke_trace::outcome::{CheckpointRuns, FailedRuns, StabilityVerdict, Status};

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
    pub(super) verdict: StabilityVerdict,
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
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) checkpoints: &'a [CheckpointRuns],
    /// The runs that did not pass, by reason, the most frequent first: at most ten reasons.
    pub(super) failures: &'a [FailedRuns],
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

/// Both verdicts of a test that ran twice, because the suite was compared with itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SelfComparison")]
pub(super) struct SelfComparisonView {
    /// The first verdict and the second.
    pub(super) verdicts: [Status; 2],
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

//! From several runs of a test to their view.

use super::runs_view::{
    DurationsView, EstimateView, FlipCounts, IntervalView, RunsView, SelfComparisonView,
    SequentialView,
};
use crate::report::words::duration::milliseconds;
use ananke_base::statistics::{
    DurationStatistics, Interval, Percentage, ReliabilityEstimate, SequentialTest, StabilityClass,
    exact_interval, reliability,
};
use ananke_trace::outcome::{Outcome, RunPolicy, Stability, Totals};

/// The runs of `outcome`, of a test that ran several times.
pub(super) fn runs(outcome: &Outcome) -> Option<RunsView<'_>> {
    let stability = outcome.stability.as_deref()?;
    let Stability {
        policy,
        passed,
        failed,
        verdict,
        durations,
        turns,
        tokens: _,
        ..
    } = stability;
    let Stability {
        checkpoints,
        failures,
        further_failed,
        ..
    } = stability;
    let (min_pass_rate, until_decided) = match policy {
        RunPolicy::Times { min_pass_rate, .. } => (Some(whole(*min_pass_rate)), None),
        RunPolicy::UntilDecided(SequentialTest {
            good,
            bad,
            error,
            max: _,
        }) => (
            None,
            Some(SequentialView {
                good: whole(*good),
                bad: whole(*bad),
                error: whole(*error),
            }),
        ),
    };
    Some(RunsView {
        total: stability.runs(),
        passed: *passed,
        failed: *failed,
        verdict: *verdict,
        max: policy.most_runs(),
        min_pass_rate,
        until_decided,
        interval: stability.interval().into(),
        estimates: reliability(*passed, stability.runs())
            .into_iter()
            .map(EstimateView::from)
            .collect(),
        duration_ms: durations.into(),
        total_turns: *turns,
        shown: outcome.run,
        checkpoints,
        failures,
        further_failed: Some(*further_failed).filter(|further| *further > 0),
    })
}

/// The class of `outcome`, of a test that ran several times.
pub(super) fn stability(outcome: &Outcome) -> Option<StabilityClass> {
    outcome.stability.as_deref().map(Stability::class)
}

/// The pass rate of `outcome` in per cent.
pub(super) fn pass_rate(outcome: &Outcome) -> Option<f64> {
    outcome.pass_rate().map(rounded)
}

/// Both verdicts of `outcome`, if the suite was compared with itself.
pub(super) fn self_comparison(outcome: &Outcome) -> Option<SelfComparisonView> {
    let compared = outcome.self_comparison.as_deref()?;
    Some(SelfComparisonView {
        verdicts: compared.verdicts,
        flipped: compared.is_flip(),
    })
}

/// The counts of a suite that was compared with itself.
pub(super) fn flips(totals: &Totals) -> Option<FlipCounts> {
    let [flipped, compared] =
        [totals.flipped, totals.compared].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    let flip_rate = rounded(100.0 * f64::from(flipped) / f64::from(compared.max(1)));
    let interval = exact_interval(flipped, compared).into();
    (compared > 0).then_some(FlipCounts {
        compared,
        flipped,
        flip_rate,
        interval,
    })
}

/// Per cent, with the decimals that are more than noise.
fn rounded(percent: f64) -> f64 {
    (percent * 10_000.0).round() / 10_000.0
}

fn whole(share: Percentage) -> f64 {
    rounded(share.as_fraction() * 100.0)
}

impl From<Interval> for IntervalView {
    fn from(Interval { low, high }: Interval) -> Self {
        Self {
            low: rounded(low * 100.0),
            high: rounded(high * 100.0),
        }
    }
}

impl From<ReliabilityEstimate> for EstimateView {
    fn from(estimate: ReliabilityEstimate) -> Self {
        let ReliabilityEstimate {
            tries,
            any,
            any_interval,
            all,
            all_interval,
        } = estimate;
        Self {
            k: tries,
            pass_at_k: rounded(any * 100.0),
            pass_at_k_interval: any_interval.into(),
            pass_hat_k: rounded(all * 100.0),
            pass_hat_k_interval: all_interval.into(),
        }
    }
}

impl From<&DurationStatistics> for DurationsView {
    fn from(durations: &DurationStatistics) -> Self {
        Self {
            average: milliseconds(durations.average_us()),
            min: milliseconds(durations.least_us),
            max: milliseconds(durations.most_us),
            standard_deviation: milliseconds(durations.deviation_us()),
        }
    }
}

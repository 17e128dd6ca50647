//! The results of several runs of a test, in the form of the report.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::duration::{Dollars, Milliseconds};
use super::{part, part::counted, turn_view::TokensView};
use ananke_base::statistics::{
    DurationStatistics, Interval, Percentage, ReliabilityEstimate, SequentialTest, Spread,
    exact_interval, reliability,
};
use ananke_base::text::Usd;
use ananke_trace::outcome::{
    CheckpointRuns, FailedRuns, Outcome, RunPolicy, SelfComparison, Stability, StabilityVerdict,
    Status, Totals,
};

part! {
    /// All runs of a test.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Runs")]
    pub(crate) struct RunsView<'a> of (outcome: &'a Outcome, stability: &'a Stability) {
        /// The number of runs.
        #[serde(skip_deserializing)]
        total: u32 = stability.runs();
        /// How many of them passed.
        passed: u32 = stability.passed;
        /// How many of them did not.
        failed: u32 = stability.failed;
        /// What decided the test.
        verdict!: StabilityVerdict = stability.verdict;
        /// The most runs that there could be.
        max: u32 = stability.policy.most_runs();
        /// The share of a fixed number of runs that had to pass, in per cent; omitted for a sequential test.
        min_pass_rate?: f64 = match stability.policy {
            RunPolicy::Times { min_pass_rate, .. } => Some(whole(min_pass_rate)),
            RunPolicy::UntilDecided(_) => None,
        };
        /// The rates between which a sequential test decided; omitted for a fixed number of runs.
        until_decided?: SequentialView = match stability.policy {
            RunPolicy::Times { .. } => None,
            RunPolicy::UntilDecided(test) => Some(SequentialView::of(test)),
        };
        /// Where the pass rate is with a confidence of 95 %, in per cent: the exact interval of Clopper and Pearson.
        #[serde(skip_deserializing)]
        interval: IntervalView = IntervalView::of(stability.interval());
        /// How several tries would end, for some numbers of tries.
        #[serde(skip_deserializing)]
        estimates: Vec<EstimateView> = reliability(stability.passed, stability.runs())
            .into_iter()
            .map(|estimate| EstimateView::of(&estimate))
            .collect();
        /// The agent's time in a run, in milliseconds.
        duration_ms: DurationsView = DurationsView::of(&stability.durations);
        /// How many turns were sent in all runs.
        total_turns: usize = stability.turns;
        /// The tokens of all runs, those of their retries as well.
        #[schemars(extend("x-since" = "1.1"))]
        tokens: TokensView = TokensView::of(stability.tokens);
        /// The tokens of a run, of the runs that reported all of theirs; omitted if none did.
        #[schemars(extend("x-since" = "1.2"))]
        run_tokens?: TokenSpread = stability.token_spread.map(TokenSpread::of);
        /// The cost of a run in US dollars, of the runs whose cost is known; omitted if no cost is.
        #[schemars(extend("x-since" = "1.2"))]
        run_cost_usd?: CostSpread = stability.cost_spread.map(CostSpread::of);
        /// The run that all other fields of the result are about, from 1: the first that failed, or the one that decided the test;
        /// the last one if the test passed.
        #[serde(skip_deserializing)]
        shown: u32 = outcome.run;
        /// How often each checkpoint of a simulated conversation was reached, in the order of the test; omitted if it has none.
        checkpoints*: Cow<'a, [CheckpointRuns]> = Cow::Borrowed(&stability.checkpoints);
        /// The runs that did not pass, by reason, the most frequent first: at most ten reasons.
        failures: Cow<'a, [FailedRuns]> = Cow::Borrowed(&stability.failures);
        /// How many more runs did not pass, for reasons that are not listed; omitted if there are none.
        further_failed?: u32 = counted(stability.further_failed);
    }
}

part! {
    /// The spread of the tokens of runs.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    pub(crate) struct TokenSpread of (spread: Spread) {
        /// The number of runs.
        #[schemars(extend("x-since" = "1.2"))]
        runs: usize = spread.count;
        /// The one in the middle.
        #[schemars(extend("x-since" = "1.2"))]
        median: u64 = spread.median;
        /// The smallest number.
        #[schemars(extend("x-since" = "1.2"))]
        min: u64 = spread.least;
        /// The largest one of them.
        #[schemars(extend("x-since" = "1.2"))]
        max: u64 = spread.most;
        /// The standard deviation of the sample.
        #[schemars(extend("x-since" = "1.2"))]
        standard_deviation: u64 = spread.deviation;
    }
}

part! {
    /// The spread of the costs of runs, in US dollars.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    pub(crate) struct CostSpread of (spread: Spread) {
        /// The number of runs.
        #[schemars(extend("x-since" = "1.2"))]
        runs: usize = spread.count;
        /// The one in the middle.
        #[schemars(extend("x-since" = "1.2"))]
        median: Dollars = Dollars(Usd(spread.median));
        /// The smallest amount.
        #[schemars(extend("x-since" = "1.2"))]
        min: Dollars = Dollars(Usd(spread.least));
        /// The largest one of them.
        #[schemars(extend("x-since" = "1.2"))]
        max: Dollars = Dollars(Usd(spread.most));
        /// The standard deviation of the sample.
        #[schemars(extend("x-since" = "1.2"))]
        standard_deviation: Dollars = Dollars(Usd(spread.deviation));
    }
}

impl From<TokenSpread> for Spread {
    fn from(read: TokenSpread) -> Self {
        Self {
            count: read.runs,
            median: read.median,
            least: read.min,
            most: read.max,
            deviation: read.standard_deviation,
        }
    }
}

impl From<CostSpread> for Spread {
    fn from(read: CostSpread) -> Self {
        Self {
            count: read.runs,
            median: read.median.0.0,
            least: read.min.0.0,
            most: read.max.0.0,
            deviation: read.standard_deviation.0.0,
        }
    }
}

part! {
    /// The rates between which a sequential test decides.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "UntilDecided")]
    pub(crate) struct SequentialView of (test: SequentialTest) {
        /// The pass rate of a good agent, in per cent.
        good: f64 = whole(test.good);
        /// The pass rate of a bad agent, in per cent.
        bad: f64 = whole(test.bad);
        /// How often either verdict may be wrong, in per cent.
        error: f64 = whole(test.error);
    }
}

part! {
    /// Where a rate is with a confidence of 95 %, in per cent.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Interval")]
    pub(crate) struct IntervalView of (interval: Interval) {
        /// The lower end.
        low: f64 = rounded(interval.low * 100.0);
        /// The upper end.
        high: f64 = rounded(interval.high * 100.0);
    }
}

part! {
    /// How `k` tries would end, in per cent.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Estimate")]
    pub(crate) struct EstimateView of (estimate: &ReliabilityEstimate) {
        /// The number of tries.
        k: u32 = estimate.tries;
        /// pass@k: the probability that at least one of them passes, without bias.
        pass_at_k: f64 = rounded(estimate.any * 100.0);
        /// Where it is with a confidence of 95 %.
        pass_at_k_interval: IntervalView = IntervalView::of(estimate.any_interval);
        /// pass^k: the probability that all of them pass, without bias.
        pass_hat_k: f64 = rounded(estimate.all * 100.0);
        /// Where it is with a confidence of 95 %.
        pass_hat_k_interval: IntervalView = IntervalView::of(estimate.all_interval);
    }
}

part! {
    /// Durations in milliseconds with up to three decimals.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Durations")]
    pub(crate) struct DurationsView of (durations: &DurationStatistics) {
        /// The average.
        average: Milliseconds = Milliseconds(durations.average_us());
        /// The shortest.
        min: Milliseconds = Milliseconds(durations.least_us);
        /// The longest.
        max: Milliseconds = Milliseconds(durations.most_us);
        /// The standard deviation of the sample.
        standard_deviation: Milliseconds = Milliseconds(durations.deviation_us());
    }
}

part! {
    /// Both verdicts of a test that ran twice, because the suite was compared with itself.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "SelfComparison")]
    pub(crate) struct SelfComparisonView of (compared: &SelfComparison) {
        /// The first verdict and the second.
        verdicts!: [Status; 2] = compared.verdicts;
        /// Whether exactly one of them is a pass.
        #[serde(skip_deserializing)]
        flipped: bool = compared.is_flip();
        /// How many turns the side that is not shown sent.
        #[schemars(extend("x-since" = "1.1"))]
        other_turns: usize = compared.turns;
        /// The tokens of that side.
        #[schemars(extend("x-since" = "1.1"))]
        other_tokens: TokensView = TokensView::of(compared.tokens);
    }
}

part! {
    /// How many tests of a suite that was compared with itself have two verdicts.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "FlipCounts")]
    pub(crate) struct FlipCounts of (totals: &Totals) {
        let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
        let counts = (count(totals.compared), count(totals.flipped));
        /// The number of tests that ran twice.
        compared: u32 = counts.0;
        /// How many of them passed exactly once.
        flipped: u32 = counts.1;
        /// Their share, in per cent.
        flip_rate: f64 = rounded(100.0 * f64::from(counts.1) / f64::from(counts.0.max(1)));
        /// Where the flip rate is with a confidence of 95 %, in per cent.
        interval: IntervalView = IntervalView::of(exact_interval(counts.1, counts.0));
    }
}

/// Per cent, with the decimals that are more than noise.
pub(crate) fn rounded(percent: f64) -> f64 {
    (percent * 10_000.0).round() / 10_000.0
}

fn whole(share: Percentage) -> f64 {
    rounded(share.as_fraction() * 100.0)
}

/// The runs of a test.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(crate) enum RunsOf<'a> {
    /// All of them, of a test that runs several times.
    Several(Box<RunsView<'a>>),
    /// Their number, of a test that does not run.
    Number(u32),
}

impl<'de> Deserialize<'de> for RunsOf<'_> {
    /// A number, or an object: no other way of reading one of both keeps numbers as they are written.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let read = match serde_json::from_str(raw.get()) {
            Ok(number) => Ok(Self::Number(number)),
            Err(_) => serde_json::from_str(raw.get()).map(Self::Several),
        };
        read.map_err(D::Error::custom)
    }
}

impl<'a> RunsOf<'a> {
    /// The runs of the test of `outcome`; `None` if it runs once.
    pub(crate) fn of(outcome: &'a Outcome) -> Option<Self> {
        match outcome.stability.as_deref() {
            Some(stability) => Some(Self::Several(Box::new(RunsView::of(outcome, stability)))),
            None => outcome.is_skipped_on_purpose().then_some(Self::Number(0)),
        }
    }

    /// All runs, if there are several.
    pub(crate) fn several(self) -> Option<RunsView<'a>> {
        match self {
            Self::Several(runs) => Some(*runs),
            Self::Number(_) => None,
        }
    }
}

impl From<RunsView<'_>> for Stability {
    fn from(read: RunsView<'_>) -> Self {
        let runs = read.passed + read.failed;
        let DurationsView {
            average,
            min,
            max,
            standard_deviation,
        } = read.duration_ms;
        Self {
            policy: match read.until_decided {
                Some(test) => RunPolicy::UntilDecided(SequentialTest {
                    good: Percentage::of_percent(test.good),
                    bad: Percentage::of_percent(test.bad),
                    error: Percentage::of_percent(test.error),
                    max: read.max,
                }),
                None => RunPolicy::Times {
                    runs: read.max,
                    min_pass_rate: Percentage::of_percent(read.min_pass_rate.unwrap_or(100.0)),
                },
            },
            passed: read.passed,
            failed: read.failed,
            verdict: read.verdict,
            durations: DurationStatistics::of_summary(
                runs.into(),
                (min.0, max.0),
                average.0,
                standard_deviation.0,
            ),
            turns: read.total_turns,
            tokens: read.tokens.into(),
            token_spread: read.run_tokens.map(Into::into),
            cost_spread: read.run_cost_usd.map(Into::into),
            checkpoints: read.checkpoints.into_owned(),
            failures: read.failures.into_owned(),
            further_failed: read.further_failed.unwrap_or_default(),
        }
    }
}

impl From<SelfComparisonView> for SelfComparison {
    fn from(read: SelfComparisonView) -> Self {
        Self {
            verdicts: read.verdicts,
            turns: read.other_turns,
            tokens: read.other_tokens.into(),
        }
    }
}

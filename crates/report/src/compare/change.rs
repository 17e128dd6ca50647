//! The change of one test between two runs, and the rules for what counts as a change.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::TestSummary;
use super::conversation_facts::FoundValue;
use ananke_trace::outcome::Status;

/// From when on a test is slower: in one run more than in another by both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// So many times the time before.
    pub ratio: f64,
    /// So much more.
    pub by: Duration,
}

impl Default for Noise {
    /// Half as long again, and a quarter of a second.
    fn default() -> Self {
        Self {
            ratio: 1.5,
            by: Duration::from_millis(250),
        }
    }
}

impl Noise {
    fn is_exceeded(self, before_us: u64, after_us: u64) -> bool {
        let more = Duration::from_micros(after_us.saturating_sub(before_us));
        more >= self.by && more > Duration::ZERO && ratio(before_us, after_us) >= self.ratio
    }
}

/// The ratio between two numbers; from nothing to something is beyond every ratio.
#[expect(
    clippy::cast_precision_loss,
    reason = "285 years of microseconds are exact"
)]
pub(crate) fn ratio(before_us: u64, after_us: u64) -> f64 {
    after_us as f64 / before_us as f64
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[schemars(rename = "Kind")]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Fails, and did not fail before; also a new test that fails.
    NewlyFailing,
    /// Ran, and was not run: the run stopped before, or input was missing that it waited for.
    NotRun,
    /// Fails, as before.
    StillFailing,
    /// Failed, and passes.
    NewlyPassing,
    /// Passes on a retry, and passed on the first attempt before.
    Flaky,
    /// Ran, and is skipped, as its file or the command line says.
    Skipped,
    /// Is new, and does not fail.
    New,
    /// No longer exists.
    Removed,
    /// Calls different tools, or in a different order.
    Tools,
    /// Its last run ends differently.
    Ending,
    /// Passed both times, and is slower.
    Slower,
    /// Ran several times, passes in a smaller share of its runs, and failed before as well or does not fail.
    LowerRate,
}

impl ChangeKind {
    /// Every kind, in the order in which they are counted.
    pub const ALL: [Self; 12] = [
        Self::NewlyFailing,
        Self::NotRun,
        Self::StillFailing,
        Self::NewlyPassing,
        Self::Flaky,
        Self::Skipped,
        Self::New,
        Self::Removed,
        Self::Tools,
        Self::Ending,
        Self::Slower,
        Self::LowerRate,
    ];

    /// The words for people, after a number.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::NewlyFailing => "newly failing",
            Self::NotRun => "not run",
            Self::StillFailing => "still failing",
            Self::NewlyPassing => "newly passing",
            Self::Flaky => "newly flaky",
            Self::Skipped => "now skipped",
            Self::New => "new",
            Self::Removed => "removed",
            Self::Tools => "with other tools",
            Self::Ending => "with another ending",
            Self::Slower => "slower",
            Self::LowerRate => "with a lower pass rate",
        }
    }
}

/// The change of one test between two runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TestChange {
    /// The most important first; never empty.
    pub(crate) kinds: Vec<ChangeKind>,
    pub(crate) before: Option<TestSummary>,
    pub(crate) after: Option<TestSummary>,
    /// The value that a test which newly fails fails by.
    pub(crate) value: Option<ValueChange>,
}

/// The value that a rule which newly fails is about, in a run before that did not fail and in the one that does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueChange {
    /// The kind of the value: `value`, `time`, `tokens`, `cost`, `requests`, `calls`, `answer`.
    pub(crate) of: &'static str,
    /// The value before; `None` if there was none there.
    pub(crate) before: Option<String>,
    /// The value now; `None` if there is none there.
    pub(crate) after: Option<String>,
}

impl ValueChange {
    /// The change of the value that `after` fails by, if `before` did not fail; `None` if it is the same, or if one is not known.
    fn between(before: &TestSummary, after: &TestSummary) -> Option<Self> {
        let (looked_at, is) = after.looked_at.as_ref()?;
        let was = before.facts.as_ref()?.value(looked_at);
        if was == *is || was == FoundValue::Unknown || *is == FoundValue::Unknown {
            return None;
        }
        Some(Self {
            of: looked_at.word(),
            before: was.known(),
            after: is.clone().known(),
        })
    }
}

impl TestChange {
    /// The change of a test that both runs have; `None` where nothing did.
    pub(crate) fn between(before: TestSummary, after: TestSummary, noise: Noise) -> Option<Self> {
        let mut kinds = Vec::new();
        kinds.extend(verdict(&before, &after));
        if before.fails() == after.fails() && after.passes_less_often_than(&before) {
            kinds.push(ChangeKind::LowerRate);
        }
        // What a test that sent nothing did not do is no change of the agent.
        if before.turns > 0 && after.turns > 0 {
            if after.has_other_tools_than(&before) {
                kinds.push(ChangeKind::Tools);
            }
            if after.has_other_ending_than(&before) {
                kinds.push(ChangeKind::Ending);
            }
        }
        let passed = |test: &TestSummary| test.status == Status::Passed;
        // A test that fails is over early, so that its time says nothing.
        if passed(&before)
            && passed(&after)
            && noise.is_exceeded(before.duration_us, after.duration_us)
        {
            kinds.push(ChangeKind::Slower);
        }
        let mut value = None;
        if kinds.first() == Some(&ChangeKind::NewlyFailing) {
            value = ValueChange::between(&before, &after);
        }
        if kinds.is_empty() {
            return None;
        }
        Some(Self {
            kinds,
            before: Some(before),
            after: Some(after),
            value,
        })
    }

    /// A test that only the second run has.
    pub(crate) fn appeared(after: TestSummary) -> Self {
        let kind = if after.fails() {
            ChangeKind::NewlyFailing
        } else {
            ChangeKind::New
        };
        Self {
            kinds: vec![kind],
            before: None,
            after: Some(after),
            value: None,
        }
    }

    /// A test that only the first run has.
    pub(crate) fn disappeared(before: TestSummary) -> Self {
        Self {
            kinds: vec![ChangeKind::Removed],
            before: Some(before),
            after: None,
            value: None,
        }
    }

    /// The test's id.
    pub(crate) fn id(&self) -> &str {
        match self.after.as_ref().or(self.before.as_ref()) {
            Some(test) => &test.id,
            None => "",
        }
    }

    /// The kinds that count as regressions: a new failure, if that fails the run, a test that did not fail before and was
    /// not run, and those of `also`.
    pub(crate) fn regressions<'k>(
        &'k self,
        also: &'k [ChangeKind],
    ) -> impl Iterator<Item = ChangeKind> + 'k {
        let fails_the_run = self.after.as_ref().is_some_and(TestSummary::fails_the_run);
        let failed = self.before.as_ref().is_some_and(TestSummary::fails);
        let counted = |test: &TestSummary| !test.quarantined;
        let may_hide_failure = !failed && self.after.as_ref().is_some_and(counted);
        self.kinds.iter().copied().filter(move |kind| match kind {
            ChangeKind::NewlyFailing if fails_the_run => true,
            ChangeKind::NotRun => may_hide_failure || also.contains(&ChangeKind::Skipped),
            other => also.contains(other),
        })
    }
}

/// The change of the verdict, or a verdict that failed before and still fails.
fn verdict(before: &TestSummary, after: &TestSummary) -> Option<ChangeKind> {
    match (before.fails(), after.fails()) {
        (false, true) => Some(ChangeKind::NewlyFailing),
        (true, true) => Some(ChangeKind::StillFailing),
        (_, false) if after.status == Status::Skipped => {
            if before.status == Status::Skipped {
                None
            } else if after.is_not_run {
                Some(ChangeKind::NotRun)
            } else {
                Some(ChangeKind::Skipped)
            }
        }
        (true, false) => Some(ChangeKind::NewlyPassing),
        (false, false) if after.flaky && !before.flaky => Some(ChangeKind::Flaky),
        (false, false) => None,
    }
}

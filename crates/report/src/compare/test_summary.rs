//! The summary of a test that a comparison keeps: a few words and numbers, whatever the size of its transcript.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use ananke_base::text::truncate;
use ananke_trace::outcome::{Outcome, Status, TranscriptLine};

/// A test in one run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Test")]
pub(crate) struct TestSummary {
    #[serde(skip)]
    pub(crate) id: String,
    /// The verdict: `passed`, `failed`, `error`, `timeout`, `skipped`.
    #[schemars(with = "String")]
    pub(crate) status: Status,
    /// Whether it passed only on a retry.
    pub(crate) flaky: bool,
    /// Whether it is in quarantine, so that it does not fail the run.
    pub(crate) quarantined: bool,
    /// The agent's time, in milliseconds with up to three decimals.
    #[serde(rename = "duration_ms", serialize_with = "milliseconds")]
    #[schemars(with = "f64")]
    pub(crate) duration_us: u64,
    /// The number of turns that were sent.
    #[serde(skip)]
    pub(crate) turns: usize,
    /// The called tools, in the order in which the calls started.
    pub(crate) tools: Vec<String>,
    /// How its last run ended: `finished`, `error`, `interrupted`, `cancelled`; omitted if none ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ending: Option<String>,
    /// Why it did not pass or was not run, on one line; omitted if it passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

#[expect(
    clippy::cast_precision_loss,
    reason = "285 years of microseconds are exact"
)]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "a serializer asks so")]
fn milliseconds<S: Serializer>(us: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(*us as f64 / 1000.0)
}

impl TestSummary {
    /// The summary of a test.
    pub(crate) fn of(outcome: &Outcome) -> Self {
        const LONGEST: usize = 400;
        let bounded = |text: &str| truncate::bytes(text, LONGEST).into_owned();
        let turns = &outcome.transcript.turns;
        let lines = turns.iter().flat_map(|turn| &turn.lines);
        let status = outcome.status();
        let reason = outcome.headline().map(|(_, finding)| finding);
        let reason = reason.filter(|_| status != Status::Passed);
        Self {
            id: outcome.test.id.clone(),
            status,
            flaky: outcome.is_flaky(),
            quarantined: outcome.test.quarantine.is_some(),
            duration_us: outcome.transcript.duration_us,
            turns: outcome.transcript.sent_turns().count(),
            tools: lines
                .filter_map(|line| match line {
                    TranscriptLine::Calls(call) => Some(bounded(&call.name)),
                    _ => None,
                })
                .collect(),
            ending: outcome
                .transcript
                .sent_turns()
                .next_back()
                .and_then(|turn| turn.run_end.as_ref())
                .map(|end| end.word().to_owned()),
            reason: reason
                .and_then(|finding| finding.lines().next())
                .map(bounded),
        }
    }

    /// Whether it ran and did not pass.
    pub(crate) fn fails(&self) -> bool {
        self.status.fails_the_run()
    }

    /// Whether its failing counts.
    pub(crate) fn fails_the_run(&self) -> bool {
        self.fails() && !self.quarantined
    }
}

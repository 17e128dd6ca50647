//! An attempt at a test, as readers get it.

use schemars::JsonSchema;
use serde::Serialize;

use super::turn_view::TurnView;
use super::verdict_view::{Assertion, ProblemView};
use ananke_trace::outcome::Status;

/// An attempt other than the one that the result is about: one that was followed by a retry, or another run. Its fields mean what those of a result mean.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Attempt")]
pub(super) struct AttemptView<'a> {
    /// Its number among the attempts at one run, from 1.
    pub(super) attempt: usize,
    /// Which of the runs of the test it is, if it is not the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<u32>,
    /// Its status.
    pub(super) status: Status,
    /// The thread of its conversation; omitted if none was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thread_id: Option<&'a str>,
    /// When it started, in Unix milliseconds.
    pub(super) started: u64,
    /// When it ended, in Unix milliseconds.
    pub(super) ended: u64,
    /// The agent's time in all turns together, in milliseconds with up to three decimals; omitted if a trace does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_ms: Option<f64>,
    /// The turns that were sent, with the last 16 KiB of their transcript.
    pub(super) turns: Vec<TurnView<'a>>,
    /// The number of turns that were not sent.
    pub(super) turns_not_run: u32,
    /// The failed rules of the whole test. Passed rules are listed only for the last attempt, also in turns.
    pub(super) final_assertions: Vec<Assertion<'a>>,
    /// Why it could not be evaluated completely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ProblemView<'a>>,
    /// The file of its recording; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recording: Option<&'a str>,
}

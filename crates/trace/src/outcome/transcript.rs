//! The transcript of a test: messages and calls, with their times.
//!
//! **Why:** The transcript is bounded when it is taken from the trace and owns its texts, so that the trace, which may
//! be large, ends with its test. Memory then depends on what is shown, not on what agents say.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CheckpointOutcome, TranscriptLine, TurnOutcome};
use crate::trace::{AgentTime, Peer};
use ananke_derive::Mask;

/// A message of the conversation history.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
pub struct EarlierMessage {
    /// The sender: `user`, `assistant`, `system`, `developer` or `tool`.
    #[mask(skip)]
    pub role: Cow<'static, str>,
    /// The text, followed by one line per call: the tool's name, and its arguments in parentheses.
    #[serde(rename = "content")]
    pub text: String,
}

/// The transcript of a test: messages and calls, with their times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct Transcript {
    /// The conversation's thread; empty where none was opened.
    pub thread_id: String,
    /// The messages before the first turn.
    pub history: Vec<EarlierMessage>,
    /// The peer of the test.
    #[serde(default)]
    #[mask(skip)]
    pub peer: Peer,
    /// The kind of time that its durations are in.
    #[serde(default)]
    #[mask(skip)]
    pub time: AgentTime,
    /// The turns that were sent, and those that were not needed.
    pub turns: Vec<TurnOutcome>,
    /// The checkpoints of a simulated conversation.
    pub checkpoints: Vec<CheckpointOutcome>,
    /// The number of turns that were not run.
    pub turns_not_run: u32,
    /// The number of messages before the agent's last one, with those before the first turn.
    pub messages_count: usize,
    /// The agent's state at the end, as JSON; `None` where it has none.
    pub state: Option<String>,
    /// The moment of the start, in Unix milliseconds.
    pub started_unix_ms: u64,
    /// The moment of the end, in Unix milliseconds; never before the end of its last turn.
    pub ended_unix_ms: u64,
    /// The sum of its turns, in microseconds.
    pub duration_us: u64,
    /// Whether the agent was asked and completed a response neither to this test nor to any before: no connection, nothing in
    /// time, or a beginning and then silence.
    #[serde(default)]
    pub is_unanswered: bool,
    /// The recording that it was written to or replayed from, as shown in messages.
    pub recording: Option<String>,
}

impl Transcript {
    /// The turns that were sent.
    pub fn sent_turns(&self) -> impl DoubleEndedIterator<Item = &TurnOutcome> {
        let turns = self.turns.iter();
        turns.filter(|turn| turn.reason_not_needed().is_none())
    }

    /// The number of turns that were not sent, since they were not needed.
    pub fn not_needed(&self) -> usize {
        self.turns.len() - self.sent_turns().count()
    }

    /// The ids of the checkpoints that the turn `number` reached.
    pub fn reached_in(&self, number: u32) -> impl Iterator<Item = &str> {
        let reached = self
            .checkpoints
            .iter()
            .filter(move |checkpoint| checkpoint.reached_at == Some(number));
        reached.map(|checkpoint| &*checkpoint.id)
    }

    /// The sum of its turns, in microseconds; `None` if nothing shows how long any of them took.
    pub fn duration(&self) -> Option<u64> {
        let is_timed = self.turns.iter().any(|turn| turn.duration_us.is_some());
        if is_timed || self.turns.is_empty() {
            Some(self.duration_us)
        } else {
            None
        }
    }

    /// The last message of the agent that is not empty.
    pub fn last_message(&self) -> Option<&str> {
        let lines = self
            .turns
            .iter()
            .rev()
            .flat_map(|turn| turn.lines.iter().rev());
        let mut texts = lines.filter_map(TranscriptLine::message);
        texts.find(|text| !text.is_empty())
    }
}

//! A line of a transcript: what was said, a tool call, or a result that came late.
//!
//! **Why:** Lines are in the order in which things began, as in the log of the trace. A result that came after other
//! things is a line of its own, because a reader who sees it at its call would believe that the agent knew it then.

use serde::{Deserialize, Serialize};

use super::words::words;
use crate::trace::{EventNumber, Fact, Facts};
use ananke_derive::Mask;

/// A line of the transcript of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub enum TranscriptLine {
    /// A message of the agent.
    Says(SaidLine),
    /// A tool call.
    Calls(CallOutcome),
    /// The result of a call of an earlier turn.
    Answered(LateResult),
    /// Reasoning of the agent.
    Thinks(SaidLine),
    /// A custom event of the application.
    Custom {
        /// The number of the event.
        event: EventNumber,
        /// From the start of the turn to the event, in microseconds; `None` if nothing shows it.
        at_us: Option<u64>,
        /// The name that the application gave it.
        name: String,
        /// The value, as JSON.
        value: String,
    },
}

/// A text of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct SaidLine {
    /// The number of the event that opened it.
    pub event: EventNumber,
    /// The id in the protocol; may be empty.
    pub id: String,
    /// From the start of the turn to its first text, in microseconds; `None` if nothing shows it.
    pub at_us: Option<u64>,
    /// The text, truncated if it is long.
    pub text: String,
    /// Whether it is the result of a call of its turn once more, as the answers of servers are.
    #[serde(default)]
    pub repeats_result: bool,
}

impl TranscriptLine {
    /// The text, if it is a message of the agent.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Says(said) => Some(&said.text),
            _ => None,
        }
    }

    /// Whether it says what another line says.
    pub fn is_repetition(&self) -> bool {
        matches!(self, Self::Says(said) if said.repeats_result)
    }

    /// The number of the event that it comes from.
    pub fn event(&self) -> EventNumber {
        match self {
            Self::Says(said) | Self::Thinks(said) => said.event,
            Self::Custom { event, .. } => *event,
            Self::Calls(call) => call.event,
            Self::Answered(late) => late.event,
        }
    }

    /// Removes the times of the line that the trace does not show. `shown` are the facts of the trace: without them, the times in
    /// the line are not those of the agent.
    pub(super) fn keep_shown(&mut self, shown: Facts) {
        let hides_texts = !shown.has(Fact::FirstText);
        let hides_calls = !shown.has(Fact::CallTimes);
        match self {
            Self::Says(said) | Self::Thinks(said) if hides_texts => said.at_us = None,
            // Custom events have no fact of their own, so that their times are shown together with those of texts.
            Self::Custom { at_us, .. } if hides_texts => *at_us = None,
            Self::Calls(call) if hides_calls => {
                call.started_us = None;
                call.duration_us = None;
            }
            Self::Answered(late) if hides_calls => late.arrived_us = None,
            // The times of this line are shown.
            _ => {}
        }
    }

    /// The number of bytes of its texts.
    pub fn size(&self) -> usize {
        match self {
            Self::Says(said) | Self::Thinks(said) => said.text.len(),
            Self::Calls(call) => {
                let result = call.result.as_deref().unwrap_or_default();
                call.name.len() + call.args.len() + result.len()
            }
            Self::Answered(late) => late.name.len() + late.result.len(),
            Self::Custom { name, value, .. } => name.len() + value.len(),
        }
    }
}

/// A tool call as reports show it.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct CallOutcome {
    /// The number of the event that opened it.
    pub event: EventNumber,
    /// The id in the protocol.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The text of the arguments as sent.
    pub args: String,
    /// The result as text; `None` where none came.
    pub result: Option<String>,
    /// The number of the event that brought the result; that of the call where none came.
    pub result_event: EventNumber,
    /// Whether it is a client-side tool: a mock answered it.
    pub is_client_side: bool,
    /// Whether the agent executed it, and does not show its result.
    #[serde(default)]
    pub hides_result: bool,
    /// From the start of the turn to the call's start, in microseconds; `None` if nothing shows it.
    pub started_us: Option<u64>,
    /// From the call's start to its result, in microseconds; `None` if it has none, or if nothing shows it.
    pub duration_us: Option<u64>,
    /// The failure of the call, if the agent or the client reports that it failed.
    #[mask(skip)]
    pub failure: Option<CallFailure>,
}

words! {
    /// The way in which a call failed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum CallFailure {
        /// It was executed and failed.
        Failed = "failed",
        /// It was not executed: a person denied it.
        Denied = "denied",
    }
}

/// The result of a call that started in an earlier turn.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct LateResult {
    /// The number of the event that brought it.
    pub event: EventNumber,
    /// The id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The turn that the call started in, counted from 1.
    pub called_in: u32,
    /// The result as text.
    pub result: String,
    /// From the start of the turn to the result, in microseconds; `None` if nothing shows it.
    pub arrived_us: Option<u64>,
    /// The failure of the call, if the agent reports that it failed.
    #[mask(skip)]
    pub failure: Option<CallFailure>,
}

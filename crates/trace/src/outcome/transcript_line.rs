//! A line of a transcript.

use serde::{Deserialize, Serialize};

use super::call::{CallOutcome, LateResult};
use crate::trace::{Fact, Facts};
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
        event: u32,
        /// From the start of the turn to the event, in microseconds; `None` if nothing shows it.
        at_us: Option<u64>,
        /// Its name.
        name: String,
        /// Its value, as JSON.
        value: String,
    },
}

/// A text of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct SaidLine {
    /// The number of the event that opened it.
    pub event: u32,
    /// Its id; may be empty.
    pub id: String,
    /// From the start of the turn to its first text, in microseconds; `None` if nothing shows it.
    pub at_us: Option<u64>,
    /// Its text.
    pub text: String,
    /// Whether it is the result of a call of its turn once more, as the answers of servers are.
    #[serde(default)]
    pub repeats_result: bool,
}

impl TranscriptLine {
    /// Its text, if it is a message of the agent.
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
    pub fn event(&self) -> u32 {
        match self {
            Self::Says(said) | Self::Thinks(said) => said.event,
            Self::Custom { event, .. } => *event,
            Self::Calls(call) => call.event,
            Self::Answered(late) => late.event,
        }
    }

    /// Removes its times if they are not among the facts that are `shown`.
    pub(super) fn keep_shown(&mut self, shown: Facts) {
        let (has_texts, has_calls) = (shown.has(Fact::FirstText), shown.has(Fact::CallTimes));
        match self {
            Self::Says(said) | Self::Thinks(said) => said.at_us = said.at_us.filter(|_| has_texts),
            Self::Custom { at_us, .. } => *at_us = at_us.filter(|_| has_texts),
            Self::Calls(call) => {
                call.started_us = call.started_us.filter(|_| has_calls);
                call.duration_us = call.duration_us.filter(|_| has_calls);
            }
            Self::Answered(late) => late.arrived_us = late.arrived_us.filter(|_| has_calls),
        }
    }

    /// The number of bytes of its texts.
    pub fn size(&self) -> usize {
        match self {
            Self::Says(said) | Self::Thinks(said) => said.text.len(),
            Self::Calls(call) => {
                call.name.len() + call.args.len() + call.result.as_ref().map_or(0, String::len)
            }
            Self::Answered(late) => late.name.len() + late.result.len(),
            Self::Custom { name, value, .. } => name.len() + value.len(),
        }
    }
}

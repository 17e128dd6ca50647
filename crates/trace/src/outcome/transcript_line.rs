//! A line of a transcript.

use serde::{Deserialize, Serialize};

use super::call::{CallOutcome, LateResult};

/// A line of the transcript of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        /// From the start of the turn to the event, in microseconds.
        at_us: u64,
        /// Its name.
        name: String,
        /// Its value, as JSON.
        value: String,
    },
}

/// A text of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidLine {
    /// The number of the event that opened it.
    pub event: u32,
    /// Its id; may be empty.
    pub id: String,
    /// From the start of the turn to its first text, in microseconds.
    pub at_us: u64,
    /// Its text.
    pub text: String,
}

impl TranscriptLine {
    /// Its text, if it is a message of the agent.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Says(said) => Some(&said.text),
            _ => None,
        }
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

    /// How many bytes its texts take.
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

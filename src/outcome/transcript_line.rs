//! A line of a transcript.

use serde::{Deserialize, Serialize};

use super::call::{CallOutcome, LateResult};

/// A line of the transcript of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TranscriptLine {
    /// A message of the agent.
    Says {
        /// The number of the event that opened it.
        event: u32,
        /// Its text.
        text: String,
    },
    /// A tool call.
    Calls(CallOutcome),
    /// The result of a call of an earlier turn.
    Answered(LateResult),
    /// Reasoning of the agent.
    Thinks {
        /// The number of the event that began it.
        event: u32,
        /// Its text.
        text: String,
    },
    /// A custom event of the application.
    Custom {
        /// The number of the event.
        event: u32,
        /// Its name.
        name: String,
        /// Its value, as JSON.
        value: String,
    },
}

impl TranscriptLine {
    /// The number of the event that it comes from.
    pub fn event(&self) -> u32 {
        match self {
            Self::Says { event, .. } | Self::Thinks { event, .. } | Self::Custom { event, .. } => *event,
            Self::Calls(call) => call.event,
            Self::Answered(late) => late.event,
        }
    }

    /// How many bytes its texts take.
    pub fn size(&self) -> usize {
        match self {
            Self::Says { text, .. } | Self::Thinks { text, .. } => text.len(),
            Self::Calls(call) => {
                call.name.len() + call.args.len() + call.result.as_ref().map_or(0, String::len)
            }
            Self::Answered(late) => late.name.len() + late.result.len(),
            Self::Custom { name, value, .. } => name.len() + value.len(),
        }
    }
}

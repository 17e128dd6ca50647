//! A line of a transcript.

use serde::{Deserialize, Serialize};

use super::call::{CallOutcome, LateResult};

/// A line of the transcript of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Line {
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

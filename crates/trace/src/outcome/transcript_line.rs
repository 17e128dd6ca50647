//! A line of a transcript: what was said, a tool call, or a result that came late.
//!
//! **Why:** Lines are in the order in which things began, as in the log of the trace. A result that came after other
//! things is a line of its own, because a reader who sees it at its call would believe that the agent knew it then.

use serde::{Deserialize, Serialize};

use super::lines::{CallOutcome, LateResult, ModelLine};
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
    /// A call of the agent to its model.
    Asks(ModelLine),
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
            Self::Asks(model) => model.event,
        }
    }

    /// The place among the lines of its turn. A call to a model comes before the event that comes next.
    pub fn place(&self) -> (EventNumber, bool) {
        (self.event(), !matches!(self, Self::Asks(_)))
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
            Self::Asks(model) => model.size(),
        }
    }
}

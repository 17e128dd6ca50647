//! The frames that a turn consists of: the events of the agent, and the end of the turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::external_event::ExternalEvent;
use ananke_trace::trace::{Interrupt, Usage};

/// A frame, as an exchange with the program is read and recorded.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TurnFrame {
    /// Something that the agent does.
    Event(ExternalEvent),
    /// The answer, which is the last frame.
    Ended(TurnAnswer),
    /// The agent has failed; the words are its own.
    Failed(String),
}

/// The end of a turn of the agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnAnswer {
    /// How the turn ended.
    pub outcome: ExternalOutcome,
    /// What the agent waits for, if the turn is `interrupted`: one at least.
    #[serde(default)]
    pub interrupts: Vec<TurnInterrupt>,
    /// The tokens of the turn that no event reports.
    #[serde(default)]
    pub usage: Option<TurnUsage>,
    /// The state of the agent, if it shows one.
    #[serde(default)]
    pub state: Option<Value>,
    /// When the turn ended, in milliseconds since it began (default: when the answer arrives).
    #[serde(default)]
    pub at_ms: Option<f64>,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExternalOutcome {
    /// The agent is done.
    Finished,
    /// The agent waits for answers to its interrupts.
    Interrupted,
}

/// Something that the agent waits for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnInterrupt {
    /// The id by which an answer names it.
    pub id: String,
    /// The agent's reason code.
    #[serde(default)]
    pub reason: Option<String>,
    /// The question, for people.
    #[serde(default)]
    pub message: Option<String>,
    /// The id of the call that waits, if it is about one.
    #[serde(default)]
    pub tool_call_id: Option<String>,
}

impl From<TurnInterrupt> for Interrupt {
    fn from(interrupt: TurnInterrupt) -> Self {
        Self {
            id: interrupt.id,
            reason: interrupt.reason,
            message: interrupt.message,
            call: interrupt.tool_call_id,
        }
    }
}

/// Tokens of a turn.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnUsage {
    /// The tokens that models read.
    #[serde(default)]
    pub input_tokens: Option<u64>,
    /// Input tokens that servers had in a cache.
    #[serde(default)]
    pub cached_tokens: Option<u64>,
    /// The tokens that models wrote.
    #[serde(default)]
    pub output_tokens: Option<u64>,
    /// The sum of both (default: their sum).
    #[serde(default)]
    pub total_tokens: Option<u64>,
    /// The name of the model, if it is one alone.
    #[serde(default)]
    pub model: Option<String>,
}

impl TurnUsage {
    /// The tokens, as the trace has them.
    pub(crate) fn usage(&self) -> Usage {
        Usage::reported(self.input_tokens, self.output_tokens, self.total_tokens)
            .with_cached(self.cached_tokens)
    }
}

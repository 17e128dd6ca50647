//! The turn that a program is asked for: the words and answers for its agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use ananke_base::message::InterruptAnswer;

/// A turn that the program is asked for.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AgentTurn {
    /// The name of the agent.
    pub agent: String,
    /// The thread of the conversation.
    pub thread: String,
    /// The number of the turn in the conversation, from 1.
    pub turn: u64,
    /// The words of the user, or answers to interrupts.
    #[serde(flatten)]
    pub input: AgentInput,
}

/// The input of the agent in a turn.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentInput {
    /// The text of the user.
    Input(String),
    /// The answers to what the agent waits for.
    Answers(Vec<InterruptReply>),
}

/// The answer to an interrupt.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct InterruptReply {
    /// The name that the agent gave the interrupt.
    pub id: String,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    /// Whether the interrupt is cancelled instead of answered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
}

impl From<InterruptAnswer> for InterruptReply {
    fn from(answer: InterruptAnswer) -> Self {
        Self {
            id: answer.id,
            payload: answer.payload,
            cancelled: !answer.is_resolved,
        }
    }
}

//! The origin of what a turn sends, and the decision whether an agent waited for input after a turn: its reasons are in the order
//! in which they are looked for (SPEC 8).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::words;
use ananke_derive::Mask;

words! {
    /// Where an input came from.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "InputSource")]
    pub enum InputOrigin {
        /// From the test file.
        #[default]
        Static = "static",
        /// From the test file, as the first message of a conversation that a simulator or a person continues.
        Initial = "initial",
        /// From the simulator.
        Simulator = "simulator",
        /// From a walk: an action that was possible.
        Walk = "walk",
        /// From a person at the terminal.
        Human = "human",
    }
}

/// Whether the agent waits for input, and how that was found out.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
pub struct InputDecision {
    /// How that was found out.
    #[mask(skip)]
    pub reason: InputReason,
    /// What it asks; omitted if it waits for nothing or asks without words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What it says about the input that it wants; omitted if it does not.
    #[serde(rename = "input_hint", skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

words! {
    /// How it was found out whether the agent waits for input.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub enum InputReason {
        /// The agent says so: in a JSON answer, a custom event or its state, or with an interrupt.
        AgentDeclared = "agent_declared",
        /// It called a tool that asks the user.
        ToolRequiresConfirmation = "tool_requires_confirmation",
        /// The last thing that it said is a question.
        ContentIsQuestion = "content_is_question",
        /// It waits for nothing.
        Completed = "completed",
    }
}

impl InputDecision {
    /// Whether the agent waits.
    pub fn is_awaiting(&self) -> bool {
        self.reason != InputReason::Completed
    }
}

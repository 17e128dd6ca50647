//! Whether an agent waited for input after a turn, and how that was found out.

use serde::{Deserialize, Serialize};

/// Whether an agent waits for input, and how that was found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputDecision {
    /// How it was found out.
    pub reason: InputReason,
    /// What the agent asks, if it asks in words.
    pub question: Option<String>,
    /// What the agent says about the input that it wants.
    pub hint: Option<String>,
}

/// How it was found out whether an agent waits for input, in the order in which that is looked for (SPEC 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InputReason {
    /// The agent says so itself.
    AgentDeclared,
    /// It called a tool that asks its user.
    ToolRequiresConfirmation,
    /// The last thing that it said is a question.
    ContentIsQuestion,
    /// It waits for nothing.
    Completed,
}

impl InputReason {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AgentDeclared => "agent_declared",
            Self::ToolRequiresConfirmation => "tool_requires_confirmation",
            Self::ContentIsQuestion => "content_is_question",
            Self::Completed => "completed",
        }
    }
}

impl InputDecision {
    /// Whether the agent waits.
    pub fn is_awaiting(&self) -> bool {
        self.reason != InputReason::Completed
    }
}

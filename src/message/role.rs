//! The role of a message's sender.

use schemars::JsonSchema;

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MessageRole")]
pub enum Role {
    /// The user.
    User,
    /// The agent.
    Assistant,
    /// Instructions of the application (`system`).
    System,
    /// Instructions of the developer (`developer`).
    Developer,
    /// A tool, in answer to a call.
    Tool,
}

impl Role {
    /// As files and agents write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Developer => "developer",
            Self::Tool => "tool",
        }
    }
}

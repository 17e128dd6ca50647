//! The role of a message's sender.

use schemars::JsonSchema;

/// The sender of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MessageRole")]
pub enum Role {
    /// The user.
    User,
    /// The agent.
    Assistant,
    /// System message.
    System,
    /// Developer message.
    Developer,
    /// The result of a tool call.
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

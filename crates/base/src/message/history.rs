//! Messages from before the first turn of a test, and the role of a message's sender.

use schemars::JsonSchema;

use super::UserContent;

/// A message from before the first turn.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryMessage {
    /// The role of its author.
    pub role: Role,
    /// Its id, if the test gives it one.
    pub id: Option<String>,
    /// The name of the sender.
    pub name: Option<String>,
    /// The content; an assistant that calls tools may say nothing.
    pub content: Option<UserContent>,
    /// The calls that come with it.
    pub calls: Vec<HistoryCall>,
    /// The id of the call that it answers.
    pub answers: Option<String>,
}

/// A tool call from before the first turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments as JSON text.
    pub arguments: String,
}

impl HistoryMessage {
    /// The whole message in words, for reports.
    pub fn describe(&self) -> String {
        let calls = self
            .calls
            .iter()
            .map(|call| format!("{}({})", call.name, call.arguments));
        self.content
            .as_ref()
            .map(UserContent::describe)
            .into_iter()
            .chain(calls)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

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

//! Client-side tools: how they are declared to an agent, and how their calls are answered.

use serde_json::Value;

/// The declaration of a client-side tool to an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDeclaration {
    /// The tool's name.
    pub name: String,
    /// The description of what it does, for the agent's model; may be empty.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// The answer to a call of a client-side tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAnswer {
    /// The call's id.
    pub call: String,
    /// The result; if the call failed, the error in words.
    pub content: Value,
    /// Whether the call failed.
    pub is_error: bool,
}

impl ToolAnswer {
    /// The answer as text: a string as it is, any other value as JSON.
    pub fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        }
    }
}

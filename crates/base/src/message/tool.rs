//! Client-side tools: how they are declared to an agent, and how their calls are answered; and tools as the agent under test
//! declares them.

use serde_json::{Map, Value, json};

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

/// A tool as the agent under test declares it.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredTool {
    /// Its name; empty if it has none.
    pub name: String,
    /// The description of what it does; may be empty.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input: Option<Value>,
    /// The JSON Schema of its structured results.
    pub output: Option<Value>,
    /// Whether a call may change data: it does not say that it only reads, or that it destroys nothing.
    pub may_change_data: bool,
    /// Whether it says that it only reads.
    pub is_read_only: bool,
    /// The rest of the declaration, as the agent wrote it.
    pub rest: Map<String, Value>,
}

impl DeclaredTool {
    /// The tool for a helper: name, description and parameters.
    pub fn summary(&self) -> Value {
        json!({ "name": self.name, "description": self.description, "parameters": self.input })
    }
}

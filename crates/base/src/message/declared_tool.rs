//! Tools as the agent under test declares them: what they are called, what they take and what they return.

use serde_json::{Map, Value, json};

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
    /// The rest of the declaration, as the agent wrote it.
    pub rest: Map<String, Value>,
}

impl DeclaredTool {
    /// The tool for a helper: name, description and parameters.
    pub fn summary(&self) -> Value {
        json!({ "name": self.name, "description": self.description, "parameters": self.input })
    }
}

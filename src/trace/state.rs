//! The agent's state: a JSON document that is replaced or patched.

use serde_json::Value;

/// The agent's state; `null` until it says otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State(Value);

impl State {
    /// A state that starts as `value`.
    pub fn new(value: Value) -> Self {
        Self(value)
    }

    /// The document.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// Replaces the document.
    pub fn replace(&mut self, value: Value) {
        self.0 = value;
    }

    /// Applies a JSON Patch (RFC 6902), all of it or nothing.
    ///
    /// # Errors
    /// Where it is no patch or does not apply; the document is then as it was.
    pub fn patch(&mut self, patch: &Value) -> Result<(), String> {
        let patch: json_patch::Patch =
            serde_json::from_value(patch.clone()).map_err(|error| format!("no JSON Patch: {error}"))?;
        json_patch::patch(&mut self.0, &patch).map_err(|error| error.to_string())
    }
}

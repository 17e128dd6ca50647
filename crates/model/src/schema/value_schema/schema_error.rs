//! The reason why a text is not a JSON Schema. **Invariant:** the path leads to a part of the schema that was written.

/// The reason why something is not a valid JSON Schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// The place of the error: the keys and positions that lead there.
    pub path: Vec<String>,
    /// The error.
    pub message: String,
}

impl SchemaError {
    /// The same place as a JSON Pointer; empty for the whole.
    pub fn pointer(&self) -> String {
        let escaped = self
            .path
            .iter()
            .map(|part| part.replace('~', "~0").replace('/', "~1"));
        escaped.fold(String::new(), |pointer, part| pointer + "/" + &part)
    }
}

//! Values as a file writes them so that nothing in them refers to a variable.

use serde_json::Value;

/// A text in which nothing refers to a variable.
pub fn literal(text: &str) -> String {
    text.replace("${", "$${")
}

/// A value in which nothing refers to a variable.
pub fn literal_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(literal(&text)),
        Value::Array(items) => items.into_iter().map(literal_value).collect(),
        Value::Object(keys) => keys
            .into_iter()
            .map(|(key, value)| (key, literal_value(value)))
            .collect(),
        other => other,
    }
}

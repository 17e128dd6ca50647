//! The actions of an agent as rules write them: literally, so that nothing in them is a variable or a pattern.

use serde_json::{Value, json};

/// The number of characters of a text that a rule quotes.
const LONGEST: usize = 80;

/// The same value, in which nothing is a reference to a variable.
pub(super) fn yaml_text(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(text.replace("${", "$${")),
        Value::Array(items) => items.iter().map(yaml_text).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), yaml_text(value)))
            .collect(),
        value => value.clone(),
    }
}

/// A regular expression that matches the beginning of a text literally.
pub(super) fn pattern(text: &str) -> String {
    escaped(
        &quoted(text)
            .as_str()
            .unwrap_or_default()
            .replace("$${", "${"),
    )
}

/// A regular expression that matches this text literally.
pub(super) fn escaped(text: &str) -> String {
    regex::escape(text).replace("${", "$${")
}

/// The part of a text that a rule quotes: its first line, not too long.
pub(super) fn quoted(text: &str) -> Value {
    let line = text.trim().lines().next().unwrap_or_default();
    let end = line
        .char_indices()
        .nth(LONGEST)
        .map_or(line.len(), |(at, _)| at);
    yaml_text(&json!(&line[..end]))
}

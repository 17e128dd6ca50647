//! Names of variables, and which of them are ananke's own; values as a file writes them so that nothing in them refers to a variable.

use serde_json::Value;

/// The name under which the environment is reached: `${ENV.NAME}`.
pub(super) const ENVIRONMENT: &str = "ENV";

/// Whether `name` is ananke's own, so that nothing else may give it a value.
pub fn is_reserved(name: &str) -> bool {
    name == ENVIRONMENT || name.starts_with("TEST_")
}

/// The reason why nothing that people give a value to may have this name, and the remedy.
pub fn name_problem(name: &str) -> Option<(&'static str, &'static str)> {
    if is_reserved(name) {
        Some((
            "is reserved",
            "`ENV` and all names that begin with `TEST_` are ananke's own",
        ))
    } else if is_name(name) {
        None
    } else {
        let help = "names consist of letters, digits and `_`, and cannot start with a digit";
        Some(("is not a valid variable name", help))
    }
}

/// Whether `text` is `[A-Za-z_][A-Za-z0-9_]*`.
pub fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

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

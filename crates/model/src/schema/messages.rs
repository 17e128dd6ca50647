//! The messages about a value that does not fit its schema.

use serde_json::Value;

use super::union::only_key;
use ananke_base::text::any_of;

/// The values that a schema expects, in the words of a message: `a list`, `a text or a list`.
pub(super) fn expected(schema: &Value) -> String {
    if let Some(branches) = ["anyOf", "oneOf"]
        .iter()
        .find_map(|key| schema.get(key)?.as_array())
    {
        return one_of(branches);
    }
    if let Some(constant) = schema.get("const") {
        return literal(constant);
    }
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        return any_of(&options.iter().map(literal).collect::<Vec<_>>());
    }
    match schema.get("type") {
        Some(Value::String(name)) => of_type(name, schema).to_owned(),
        Some(Value::Array(names)) => {
            let names = names
                .iter()
                .filter_map(Value::as_str)
                .map(|name| of_type(name, schema).to_owned());
            any_of(&names.collect::<Vec<_>>())
        }
        // The one thing schemas refer to by name is a mapping.
        _ => "a mapping".to_owned(),
    }
}

/// The values that a union expects: each kind of value once, mappings with one key each by their keys.
pub(super) fn one_of(branches: &[Value]) -> String {
    let keys: Vec<String> = branches
        .iter()
        .filter_map(only_key)
        .map(|key| format!("`{key}`"))
        .collect();
    let mut all: Vec<String> = Vec::new();
    for branch in branches {
        let words = match only_key(branch) {
            Some(_) if keys.len() > 1 => format!("a mapping with {}", any_of(&keys)),
            _ => expected(branch),
        };
        if !all.contains(&words) {
            all.push(words);
        }
    }
    any_of(&all)
}

fn of_type(name: &str, schema: &Value) -> &'static str {
    match name {
        "null" => "nothing",
        "boolean" => "`true` or `false`",
        "integer" => "a whole number",
        "number" => "a number",
        "string" if schema.get("pattern").is_some() => "exactly one `${…}`",
        "string" => "a text",
        "array" => "a list",
        _ => "a mapping",
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}

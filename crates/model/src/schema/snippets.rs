//! Snippets: what an editor inserts for a block, from the examples of the schema.
//!
//! `defaultSnippets` is the keyword that yaml-language-server reads. **Invariant:** a snippet contains only values that the
//! schema gives as examples, so it is valid wherever it is offered.

use serde_json::{Map, Value, json};

use super::demands::least_keys;
use super::union::{choosing_key, tag};

/// The keyword for snippets.
pub(super) const SNIPPETS: &str = "defaultSnippets";

/// Adds a snippet to every key and definition whose example is a mapping, to the entries of lists whose examples are, and to
/// every branch that a `type` chooses: its required keys.
pub(super) fn add_snippets(object: &mut Map<String, Value>) {
    for named in ["properties", "definitions"] {
        let schemas = object.get_mut(named).and_then(Value::as_object_mut);
        for (name, schema) in schemas.into_iter().flatten() {
            let called = schema.get("title").and_then(Value::as_str).unwrap_or(name);
            let label = format!("example of {called}");
            match schema.pointer("/examples/0").cloned() {
                Some(block @ Value::Object(_)) => add(schema, &label, [&block]),
                Some(Value::Array(entries)) => {
                    for items in entries_of(schema) {
                        add(
                            items,
                            &label,
                            entries.iter().filter(|entry| entry.is_object()),
                        );
                    }
                }
                _ => {}
            }
        }
    }
    let branches = object.get_mut("oneOf").and_then(Value::as_array_mut);
    for branch in branches.into_iter().flatten() {
        let chosen_by = tag(branch)
            .or_else(|| choosing_key(branch))
            .map(str::to_owned);
        if let (Some(label), Some(body)) = (chosen_by, required(branch)) {
            put(branch, vec![snippet(&label, &body)]);
        }
    }
}

fn add<'b>(schema: &mut Value, label: &str, blocks: impl IntoIterator<Item = &'b Value>) {
    let blocks = blocks
        .into_iter()
        .map(|block| snippet(label, &with_tab_stops(block, &mut 0)));
    put(schema, blocks.collect());
}

fn snippet(label: &str, body: &Value) -> Value {
    json!({ "label": label, "body": body })
}

fn put(schema: &mut Value, snippets: Vec<Value>) {
    if let Some(schema) = schema.as_object_mut().filter(|_| !snippets.is_empty()) {
        schema.insert(SNIPPETS.to_owned(), snippets.into());
    }
}

/// The schemas of the entries of a list, which may be one form of a value among others.
fn entries_of(schema: &mut Value) -> Vec<&mut Value> {
    let Some(schema) = schema.as_object_mut() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (key, value) in schema {
        match (key.as_str(), value) {
            ("items", items) => found.push(items),
            ("anyOf", Value::Array(forms)) => {
                found.extend(forms.iter_mut().filter_map(|form| form.get_mut("items")));
            }
            _ => {}
        }
    }
    found
}

/// The required keys of a mapping, with their constants and examples; `None` if one of them has neither.
fn required(schema: &Value) -> Option<Value> {
    let mut count = 0;
    let mut value = |key: &str| {
        let property = schema.get("properties")?.get(key)?;
        let example = || {
            Some(with_tab_stops(
                property.get("examples")?.get(0)?,
                &mut count,
            ))
        };
        Some((
            key.to_owned(),
            property.get("const").cloned().or_else(example)?,
        ))
    };
    least_keys(schema)
        .map(&mut value)
        .collect::<Option<Map<String, Value>>>()
        .map(Value::Object)
}

/// A block whose texts are tab stops, as editors write them: `${1:text}`.
fn with_tab_stops(value: &Value, count: &mut usize) -> Value {
    match value {
        Value::String(text) => {
            *count += 1;
            let escaped = |text: &str| {
                text.replace('\\', "\\\\")
                    .replace('$', "\\$")
                    .replace('}', "\\}")
            };
            if is_plain(text) {
                return format!("${{{count}:{text}}}").into();
            }
            let quoted = value.to_string();
            let inner = quoted.get(1..quoted.len() - 1).unwrap_or_default();
            format!("\"${{{count}:{}}}\"", escaped(inner)).into()
        }
        Value::Array(items) => items
            .iter()
            .map(|item| with_tab_stops(item, count))
            .collect(),
        Value::Object(entries) => {
            let entries = entries
                .iter()
                .map(|(key, value)| (key.clone(), with_tab_stops(value, count)));
            Value::Object(entries.collect())
        }
        other => other.clone(),
    }
}

/// Whether YAML reads a text as that text without quotes.
fn is_plain(text: &str) -> bool {
    let is_word =
        |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, ' ' | '_' | '-' | '.' | '/');
    let has_meaning = ["true", "false", "null", "yes", "no", "on", "off"];
    text.starts_with(|sign: char| sign.is_ascii_alphabetic())
        && text.chars().all(is_word)
        && !text.ends_with(' ')
        && !has_meaning.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_tab_stops_and_stay_texts() {
        let block =
            json!({ "name": "pay", "args_match": { "id": "^\\d{2}$" }, "count": 1, "not": "no" });
        let expected = json!({
            "name": "${1:pay}",
            "args_match": { "id": "\"${2:^\\\\\\\\d{2\\}\\$}\"" },
            "count": 1,
            "not": "\"${3:no}\"",
        });
        assert_eq!(with_tab_stops(&block, &mut 0), expected);
    }

    #[test]
    fn a_branch_has_its_required_keys() {
        let mut schema = json!({ "oneOf": [
            { "properties": { "type": { "const": "agui" }, "endpoint": { "examples": ["here"] }, "state": {} },
              "required": ["type", "endpoint"] },
            { "properties": { "type": { "const": "other" }, "unknown": {} }, "required": ["type", "unknown"] },
        ]});
        add_snippets(schema.as_object_mut().unwrap());
        let body = schema.pointer("/oneOf/0/defaultSnippets/0/body");
        assert_eq!(
            body,
            Some(&json!({ "type": "agui", "endpoint": "${1:here}" }))
        );
        assert_eq!(schema.pointer("/oneOf/1/defaultSnippets"), None);
    }
}

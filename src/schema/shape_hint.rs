//! One value where a list is expected, a list of one where a value is, or a text where a mapping is: what to write instead.
//!
//! Flows in: a value that does not fit, and the schema it does not fit. Flows out: a sentence of help, and only where
//! what is written would fit by its type.

use serde_json::Value;

use super::union::accepts;
use crate::diagnostic::SourceFile;
use crate::source::{Node, NodeValue, printable};

/// How to write `node` so that it fits `schema`, where brackets, dashes or a key are all that is wrong.
pub(super) fn help(source: &SourceFile, schema: &Value, node: &Node) -> Option<String> {
    let written = source.text.get(node.span.start as usize..).unwrap_or_default();
    match &node.value {
        NodeValue::List(items) => {
            let [item] = items.as_slice() else { return None };
            let sign = if written.starts_with('[') { "`[` and `]`" } else { "`- `" };
            matches_schema(schema, item).then(|| format!("write its entry without {sign}"))
        }
        NodeValue::String(text) if is_mapping(schema) => {
            let has_key =
                |key: &&str| schema["properties"].get(key).is_some_and(|schema| matches_schema(schema, node));
            let key = only_demand(schema).filter(has_key).or(Some("name").filter(has_key))?;
            let value = if is_one_word(text) { text } else { "…" };
            Some(format!("write it as the value of a key: `{key}: {value}`"))
        }
        _ if !is_list(schema) || !matches_schema(schema.get("items")?, node) => None,
        NodeValue::Map(entries) => Some(match entries.first() {
            Some(first) if !written.starts_with(['{', '*', '&', '!']) => {
                format!("begin each entry of a list with `- `: `- {}: …`", printable(&first.key))
            }
            _ => "put `[` and `]` round it".to_owned(),
        }),
        _ => {
            let length = node.span.end.saturating_sub(node.span.start) as usize;
            Some(match written.get(..length).filter(|text| is_one_word(text)) {
                Some(word) => format!("write a list of one entry: `[{word}]`"),
                None => "write a list: each entry begins with `- `, or all stand between `[` and `]`, parted by commas".to_owned(),
            })
        }
    }
}

fn is_list(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("array")
}

fn is_mapping(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

/// The key that a mapping must have, where it is a single one.
fn only_demand(schema: &Value) -> Option<&str> {
    match schema.get("required")?.as_array()?.as_slice() {
        [key] => key.as_str(),
        _ => None,
    }
}

/// Whether a value of this type may stand here.
fn matches_schema(schema: &Value, node: &Node) -> bool {
    let union = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
    match union {
        Some(branches) => branches.iter().any(|branch| accepts(branch, node)),
        None => accepts(schema, node),
    }
}

/// Whether a text as it is written means the same in a list, and can be no list of words by itself.
fn is_one_word(written: &str) -> bool {
    let is_plain = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
    };
    let quoted = ['"', '\''].iter().find_map(|quote| written.strip_prefix(*quote)?.strip_suffix(*quote));
    match quoted {
        Some(text) => !text.is_empty() && !text.contains(char::is_whitespace),
        None => is_plain(written),
    }
}

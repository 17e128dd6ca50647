//! An assertion about the answer as entries of the rule `output`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::remedies;
use super::template::Template;
use ananke_base::diagnostic::SourceFile;
use ananke_base::source::{self, Node, NodeValue};

/// A pattern for text that can only be JSON as a whole: with it, JSON in a fenced block is not enough.
const JSON_ALONE: &str = r#"(?s)^\s*(?:\{.*\}|\[.*\]|".*"|[-+0-9.eE]+|true|false|null)\s*$"#;

/// The entries of `output` that mean the same as an assertion of the type `kind`.
///
/// # Errors
/// The reason why there are none.
pub(super) fn outputs(kind: &str, value: Option<&Node>) -> Result<Vec<Value>, String> {
    Ok(match kind {
        "equals" => vec![equal_to(value)?],
        "contains" => vec![json!({ "contains": filled(value)?.written() })],
        "icontains" => vec![matching(kind, &filled(value)?.pattern())],
        "starts-with" => vec![matching(kind, &format!("^{}", filled(value)?.pattern()))],
        "ends-with" => vec![matching(kind, &format!("{}$", filled(value)?.pattern()))],
        "contains-any" | "icontains-any" => {
            let patterns: Vec<String> = texts(value)?.iter().map(Template::pattern).collect();
            vec![matching(kind, &patterns.join("|"))]
        }
        "contains-all" => {
            let texts = texts(value)?;
            texts
                .iter()
                .map(|text| json!({ "contains": text.written() }))
                .collect()
        }
        "icontains-all" => {
            let texts = texts(value)?;
            texts
                .iter()
                .map(|text| matching(kind, &text.pattern()))
                .collect()
        }
        "regex" => vec![json!({ "match": pattern(value)? })],
        "is-json" => vec![
            json!({ "match": JSON_ALONE, "message": "the answer must be JSON and nothing else" }),
            match schema(value)? {
                Some(schema) => json!({ "path": "$", "schema": schema }),
                None => json!({ "path": "$", "exists": true }),
            },
        ],
        "contains-json" => {
            let schema = schema(value)?;
            let schema = schema.unwrap_or_else(|| json!({ "type": ["object", "array"] }));
            vec![json!({ "path": "$", "schema": schema })]
        }
        other => {
            return Err(remedies::of_type(other)
                .unwrap_or("ananke has no such rule")
                .to_owned());
        }
    })
}

/// The entry for an answer that matches a pattern; types that begin with `i` ignore case.
fn matching(kind: &str, pattern: &str) -> Value {
    let prefix = if kind.starts_with('i') { "(?i)" } else { "" };
    json!({ "match": format!("{prefix}{pattern}") })
}

/// The entries of `output` for an assertion that is negated.
pub(super) fn negated_outputs(kind: &str, value: Option<&Node>) -> Result<Vec<Value>, String> {
    let entries = match kind {
        "contains-all" | "icontains-all" => {
            return Err("that one of several is missing cannot be said in a rule".to_owned());
        }
        "is-json" if schema(value)?.is_none() => vec![json!({ "match": JSON_ALONE })],
        "is-json" | "contains-json" => {
            return Err("a rule about JSON fails if there is none".to_owned());
        }
        _ => outputs(kind, value)?,
    };
    Ok(entries.into_iter().map(negated).collect())
}

/// An entry of a rule with `not`.
pub(super) fn negated(mut entry: Value) -> Value {
    if let Some(map) = entry.as_object_mut() {
        map.insert("not".to_owned(), json!(true));
    }
    entry
}

/// The entry for an answer that is equal to a value.
fn equal_to(value: Option<&Node>) -> Result<Value, String> {
    if let Some(value) = value
        && matches!(value.value, NodeValue::Map(_) | NodeValue::List(_))
    {
        return Ok(json!({ "path": "$", "equals": tree(value)? }));
    }
    Ok(json!({ "equals": text(value)?.written() }))
}

/// The value as a text.
fn text(value: Option<&Node>) -> Result<Template, String> {
    match value.map(|value| &value.value) {
        Some(NodeValue::String(text)) if text.starts_with("file://") => {
            Err("its value is made by a program".to_owned())
        }
        Some(NodeValue::String(text)) => Template::parse(text),
        Some(NodeValue::Number(number)) => Template::parse(&number.to_string()),
        Some(NodeValue::Bool(value)) => Template::parse(&value.to_string()),
        _ => Err("it needs a text as `value`".to_owned()),
    }
}

/// The same for a text that is searched for: it must not be empty.
pub(super) fn filled(value: Option<&Node>) -> Result<Template, String> {
    if value.and_then(Node::as_str) == Some("") {
        return Err("its `value` is empty".to_owned());
    }
    text(value)
}

/// The texts of a list, or of a text with commas between them.
fn texts(value: Option<&Node>) -> Result<Vec<Template>, String> {
    let list = match value {
        Some(Node {
            value: NodeValue::List(items),
            ..
        }) if !items.is_empty() => items.clone(),
        Some(Node {
            value: NodeValue::String(text),
            ..
        }) if !text.contains(['"', '{']) => {
            let parts = text
                .split(',')
                .map(|part| Node::of_json(&json!(part.trim())));
            parts.collect()
        }
        _ => return Err("it needs a list of texts as `value`".to_owned()),
    };
    list.iter().map(|item| filled(Some(item))).collect()
}

/// The value as a pattern.
fn pattern(value: Option<&Node>) -> Result<String, String> {
    let template = filled(value)?;
    if template.names().next().is_some() {
        return Err("the value of a variable in a pattern is literal text here".to_owned());
    }
    let written = value.and_then(Node::as_str).unwrap_or_default();
    if regex::Regex::new(written).is_err() {
        return Err("its pattern has look-around, a backreference or a mistake".to_owned());
    }
    Ok(template.written())
}

/// The JSON Schema that a value is.
fn schema(value: Option<&Node>) -> Result<Option<Value>, String> {
    let Some(value) = value else {
        return Ok(None);
    };
    let node = match value.as_str() {
        Some("") => return Ok(None),
        Some(text) => source::parse(&Arc::new(SourceFile::new("schema", "", text)))
            .map_err(|_| "its schema cannot be read".to_owned())?,
        None => value.clone(),
    };
    match node.value {
        NodeValue::Null => Ok(None),
        NodeValue::Map(_) => tree(&node).map(Some),
        _ => Err("its schema is not a mapping".to_owned()),
    }
}

/// A value with every text in it as ananke writes it.
pub(super) fn tree(node: &Node) -> Result<Value, String> {
    Ok(match &node.value {
        NodeValue::String(text) => json!(Template::parse(text)?.written()),
        NodeValue::List(items) => Value::Array(items.iter().map(tree).collect::<Result<_, _>>()?),
        NodeValue::Map(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|entry| Ok((entry.key.clone(), tree(&entry.value)?)));
            Value::Object(entries.collect::<Result<_, String>>()?)
        }
        _ => node.to_json(),
    })
}

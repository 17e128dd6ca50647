//! A schema as it was in an older version.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::demands::{demands, is_demand, keyword};
use super::{FileKind, Version, embedded, generate::id, tidy::each};

/// The program's schema of a file without what is newer than `version`.
pub fn pruned(kind: FileKind, version: Version) -> Value {
    let mut schema = embedded(kind).clone();
    if version == Version::newest() {
        return schema;
    }
    schema["$id"] = id(&format!("{}-{version}", kind.as_str())).into();
    prune(&mut schema, version);
    drop_unused(&mut schema);
    let known = &mut schema["properties"]["version"]["enum"];
    if let Some(known) = known.as_array_mut() {
        known.retain(|known| {
            let text = known
                .as_str()
                .map_or_else(|| known.to_string(), str::to_owned);
            Version::parse(&text) <= Some(version)
        });
    }
    schema["properties"]["version"]["default"] = version.to_string().into();
    drop_newer_examples(&mut schema);
    schema
}

/// Drops the examples that use what is newer.
fn drop_newer_examples(schema: &mut Value) {
    let mut described = Vec::new();
    each(schema, &mut |object| {
        if let Some(examples) = object.get("examples").and_then(Value::as_array) {
            described.push((Value::Object(object.clone()), examples.clone()));
        }
    });
    let mut fit = with_valid_examples(&schema["definitions"], described).into_iter();
    each(schema, &mut |object| {
        let has_examples = object.get("examples").is_some_and(Value::is_array);
        if has_examples && !fit.next().unwrap_or_default() {
            object.shift_remove("examples");
        }
    });
}

/// Whether the examples of each of the `described` schemas fit it. One validator is compiled for all of them, since each
/// of them reaches most definitions.
#[cfg(feature = "json-schema")]
fn with_valid_examples(definitions: &Value, described: Vec<(Value, Vec<Value>)>) -> Vec<bool> {
    let (mut schemas, mut examples) = (Map::new(), Vec::new());
    for (mut schema, own) in described {
        if let Some(object) = schema.as_object_mut() {
            // References begin at the whole.
            object.shift_remove("$id");
        }
        schemas.insert(examples.len().to_string(), schema);
        examples.push(own);
    }
    let whole = serde_json::json!({ "properties": schemas, "definitions": definitions });
    let validator = jsonschema::draft7::new(&whole).ok();
    let is_valid = |number: usize, example: Value| {
        let named = Value::Object(Map::from_iter([(number.to_string(), example)]));
        validator
            .as_ref()
            .is_some_and(|known| known.is_valid(&named))
    };
    let all_valid = |(number, own): (usize, Vec<Value>)| {
        own.into_iter().all(|example| is_valid(number, example))
    };
    examples.into_iter().enumerate().map(all_valid).collect()
}

/// Whether the examples fit: a build without a validator shows none.
#[cfg(not(feature = "json-schema"))]
fn with_valid_examples(_: &Value, described: Vec<(Value, Vec<Value>)>) -> Vec<bool> {
    described.into_iter().map(|_| false).collect()
}

/// Since when there is what a schema describes; without a statement, always.
pub(super) fn since(schema: &Value) -> Option<Version> {
    keyword(schema, "x-since")
        .and_then(Value::as_str)
        .and_then(Version::parse)
}

fn prune(schema: &mut Value, version: Version) {
    let known = |schema: &Value| since(schema).is_none_or(|since| since <= version);
    match schema {
        Value::Object(object) => {
            let mut gone = BTreeSet::new();
            if let Some(Value::Object(patterns)) = object.get_mut("patternProperties") {
                patterns.retain(|_, property| known(property));
                if patterns.is_empty() {
                    object.shift_remove("patternProperties");
                }
            }
            if let Some(Value::Object(properties)) = object.get_mut("properties") {
                properties.retain(|key, property| {
                    let keep = known(property);
                    if !keep {
                        gone.insert(key.clone());
                    }
                    keep
                });
            }
            if let Some(Value::Array(required)) = object.get_mut("required") {
                required.retain(|key| key.as_str().is_none_or(|key| !gone.contains(key)));
            }
            if object
                .get("if")
                .is_some_and(|condition| demands(condition).any(|key| gone.contains(key)))
            {
                settle(object);
            }
            for union in ["oneOf", "anyOf"] {
                if let Some(Value::Array(branches)) = object.get_mut(union) {
                    branches.retain(|branch| {
                        known(branch) && !demands(branch).any(|key| gone.contains(key))
                    });
                }
            }
            // What is left of a choice between demands is no choice.
            let only = |branches: &Value| {
                branches
                    .as_array()
                    .is_some_and(|all| all.len() == 1 && is_demand(&all[0]))
            };
            if object.get("anyOf").is_some_and(only)
                && let Some(Value::Array(mut branches)) = object.shift_remove("anyOf")
                && let Some(Value::Object(demand)) = branches.pop()
            {
                merge(object, demand);
            }
            for (key, value) in object.iter_mut() {
                // Examples and constants are data, whatever their keys are called.
                if !matches!(key.as_str(), "examples" | "default" | "const" | "enum") {
                    prune(value, version);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| prune(item, version)),
        _ => {}
    }
}

/// Replaces a condition that is never met by its `else`.
fn settle(object: &mut Map<String, Value>) {
    let [_, _, otherwise] = ["if", "then", "else"].map(|key| object.shift_remove(key));
    if let Some(Value::Object(otherwise)) = otherwise {
        merge(object, otherwise);
    }
}

fn merge(object: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        match (object.get_mut(&key), value) {
            (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
            (Some(_), _) => {}
            (None, value) => {
                object.insert(key, value);
            }
        }
    }
}

/// Drops the definitions that nothing refers to any more.
fn drop_unused(schema: &mut Value) {
    let Some(Value::Object(definitions)) = schema
        .as_object_mut()
        .and_then(|root| root.shift_remove("definitions"))
    else {
        return;
    };
    let mut used = BTreeSet::new();
    let mut open = Vec::new();
    references(schema, &mut open);
    while let Some(name) = open.pop() {
        if used.insert(name.clone())
            && let Some(definition) = definitions.get(&name)
        {
            references(definition, &mut open);
        }
    }
    let kept: Map<String, Value> = definitions
        .into_iter()
        .filter(|(name, _)| used.contains(name))
        .collect();
    if !kept.is_empty()
        && let Some(root) = schema.as_object_mut()
    {
        root.insert("definitions".to_owned(), Value::Object(kept));
    }
}

fn references(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(target)) = object.get("$ref") {
                names.extend(target.strip_prefix("#/definitions/").map(str::to_owned));
            }
            object.values().for_each(|value| references(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        _ => {}
    }
}

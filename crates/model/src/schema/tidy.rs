//! The changes that the generator's output needs before people and editors see it.

use serde_json::{Map, Value, json};

use super::demands::SAME_AS;
use super::titles::{title_branches, title_definitions};
use crate::model::TAG_DEFAULTS;
use ananke_base::source::TagDefault;

/// Tidies a whole schema: an id, no null branches, plain references, titles, described tags, no tag required where it has a
/// default, only formats that JSON Schema has.
pub(super) fn tidy(schema: &mut Value, id: &str, title: &str) {
    if let Some(root) = schema.as_object_mut() {
        root.insert("$id".to_owned(), id.into());
        root.insert("title".to_owned(), title.into());
    }
    each(schema, &mut without_null);
    each(schema, &mut without_format);
    each(schema, &mut unwrap_reference);
    each(schema, &mut describe_tags);
    each(schema, &mut add_spellings);
    if let Some(definitions) = schema.get_mut("definitions").and_then(Value::as_object_mut) {
        for default in TAG_DEFAULTS {
            if let Some(union) = definitions.get_mut(default.union) {
                relax(union, default);
            }
        }
    }
    each(schema, &mut title_branches);
    title_definitions(schema);
    in_order(schema);
}

/// Sorts the keywords of every schema into reading order.
pub(super) fn in_order(schema: &mut Value) {
    each(schema, &mut in_reading_order);
}

/// Says of every key that does not say it itself that it exists since `version`.
pub(super) fn date(schema: &mut Value, version: &str) {
    each(schema, &mut |object| {
        let properties = object.get_mut("properties").and_then(Value::as_object_mut);
        for key in properties
            .into_iter()
            .flat_map(Map::values_mut)
            .filter_map(Value::as_object_mut)
        {
            key.entry("x-since").or_insert_with(|| version.into());
        }
    });
}

/// Applies a change to every schema, innermost first.
pub(super) fn each(schema: &mut Value, change: &mut dyn FnMut(&mut Map<String, Value>)) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "definitions" | "patternProperties", Value::Object(named)) => {
                named.values_mut().for_each(|value| each(value, change));
            }
            ("oneOf" | "anyOf" | "allOf", Value::Array(branches)) => {
                for branch in branches {
                    each(branch, change);
                }
            }
            ("items" | "additionalProperties" | "then" | "else", value) => each(value, change),
            _ => {}
        }
    }
    change(object);
}

/// An optional key is omitted, never null: drops the null branches that the types' `Option` brings.
fn without_null(object: &mut Map<String, Value>) {
    if object.get("default").is_some_and(Value::is_null) {
        object.shift_remove("default");
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    let Some(Value::Array(branches)) = object.get_mut("anyOf") else {
        return;
    };
    let before = branches.len();
    branches.retain(|branch| branch.get("type").is_none_or(|name| name != "null"));
    if branches.len() == before || branches.len() != 1 {
        return;
    }
    let Some(Value::Object(only)) = branches.pop() else {
        return;
    };
    object.shift_remove("anyOf");
    for (key, value) in only {
        object.entry(key).or_insert(value);
    }
}

/// Drops the sizes of Rust's numbers: validators refuse formats that they do not know.
fn without_format(object: &mut Map<String, Value>) {
    let is_number = |name: &Value| name == "integer" || name == "number";
    if object.get("type").is_some_and(is_number) {
        object.shift_remove("format");
    }
}

/// Keywords that say something about a value and check nothing.
const ANNOTATIONS: &[&str] = &[
    "allOf",
    "default",
    "description",
    "examples",
    "title",
    "x-since",
];

/// A key with another spelling (`x-spelling`) is there under both, and a mapping that demands it takes either.
fn add_spellings(object: &mut Map<String, Value>) {
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    let spelled = |(key, property): (&String, &mut Value)| {
        let spelling = property.as_object_mut()?.shift_remove("x-spelling")?;
        Some((key.clone(), spelling.as_str()?.to_owned(), property.clone()))
    };
    let spelled: Vec<(String, String, Value)> = properties.iter_mut().filter_map(spelled).collect();
    for (key, spelling, mut same) in spelled {
        if let Some(same) = same.as_object_mut() {
            same.insert(
                "description".to_owned(),
                format!("The same as `{key}`.").into(),
            );
            same.insert("x-since".to_owned(), "1.4".into());
            same.insert(SAME_AS.to_owned(), key.clone().into());
        }
        if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(spelling.clone(), same);
        }
        let required = object.get_mut("required").and_then(Value::as_array_mut);
        let demanded = required.and_then(|required| {
            let place = required.iter().position(|demanded| *demanded == key)?;
            Some(required.remove(place))
        });
        if demanded.is_some() {
            let either = json!([{ "required": [key] }, { "required": [spelling] }]);
            object.insert("anyOf".to_owned(), either);
        }
        if object
            .get("required")
            .is_some_and(|required| *required == json!([]))
        {
            object.shift_remove("required");
        }
    }
}

/// A reference is alone or next to annotations, which draft-07 ignores there and editors show. Only next to keywords
/// that check something it stays in an `allOf`.
fn unwrap_reference(object: &mut Map<String, Value>) {
    if !object.keys().all(|key| ANNOTATIONS.contains(&key.as_str())) {
        return;
    }
    let only = match object
        .get("allOf")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
    {
        Some([only]) => only.get("$ref").cloned(),
        _ => None,
    };
    if let Some(reference) = only {
        object.shift_remove("allOf");
        object.insert("$ref".to_owned(), reference);
    }
}

/// The key that chooses a branch says what the branch is, since when: an editor shows it there.
fn describe_tags(object: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = object.get_mut("oneOf") else {
        return;
    };
    for branch in branches.iter_mut().filter_map(Value::as_object_mut) {
        let mut said: Vec<(&str, Option<Value>)> = ["description", "x-since"]
            .map(|key| (key, branch.get(key).cloned()))
            .into();
        if branch.contains_key("properties") {
            // An example is one of the value under the key.
            said.push(("examples", branch.shift_remove("examples")));
        }
        let Some(Value::Object(properties)) = branch.get_mut("properties") else {
            continue;
        };
        let tagged = properties
            .get("type")
            .is_some_and(|tag| tag.get("const").is_some());
        let mut chooser = match (tagged, properties.len()) {
            (true, _) => properties.get_mut("type"),
            (false, 1) => properties.values_mut().next(),
            _ => None,
        };
        if let Some(any @ Value::Bool(true)) = &mut chooser {
            // Any value will do, and it needs words all the same.
            **any = Value::Object(Map::new());
        }
        if let Some(Value::Object(chooser)) = chooser {
            for (key, value) in said {
                if let Some(value) = value {
                    chooser.entry(key).or_insert(value);
                }
            }
        }
    }
}

/// Sorts the keys: the subject of a schema comes first, its parts last.
fn in_reading_order(object: &mut Map<String, Value>) {
    const FIRST: &[&str] = &[
        "$schema",
        "$id",
        "title",
        "description",
        "x-since",
        "type",
        "const",
    ];
    const LAST: &[&str] = &[
        "items",
        "properties",
        "additionalProperties",
        "required",
        "if",
        "then",
        "else",
        "oneOf",
        "anyOf",
        "definitions",
    ];
    let rank = |key: &str| match FIRST.iter().position(|first| *first == key) {
        Some(position) => position,
        None => {
            FIRST.len()
                + 1
                + LAST
                    .iter()
                    .position(|last| *last == key)
                    .map_or(0, |position| position + 1)
        }
    };
    let mut entries: Vec<(String, Value)> = std::mem::take(object).into_iter().collect();
    entries.sort_by_key(|(key, _)| rank(key));
    object.extend(entries);
}

/// Makes `type` optional in the branch that is meant without it; takes it out of one that another key chooses.
fn relax(union: &mut Value, default: &TagDefault) {
    let branches = union.get_mut("oneOf").and_then(Value::as_array_mut);
    for branch in branches.into_iter().flatten() {
        if branch
            .pointer("/properties/type/const")
            .is_none_or(|name| name != default.tag)
        {
            continue;
        }
        if let Some(properties) = branch.get_mut("properties").and_then(Value::as_object_mut)
            && default.key.is_some()
        {
            properties.shift_remove("type");
        }
        if let Some(required) = branch.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|key| key != "type");
        }
    }
}

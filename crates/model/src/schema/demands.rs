//! The keywords of a schema, and the keys that it demands.

use serde_json::Value;

/// The keyword of a key that is another spelling: it names the key which is the same.
pub(super) const SAME_AS: &str = "x-same-as";

/// The value of a keyword. A schema has few of them: comparing them takes a fifth of the time of hashing the name.
pub(super) fn keyword<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    let mut keywords = schema.as_object()?.iter();
    keywords.find_map(|(keyword, value)| (keyword == name).then_some(value))
}

/// The keys that a schema demands.
pub(super) fn demands(schema: &Value) -> impl Iterator<Item = &str> {
    keyword(schema, "required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// The keys that a mapping has at least: those that its schema demands, and of two spellings of a demanded key the first.
pub(super) fn least_keys(schema: &Value) -> impl Iterator<Item = &str> {
    let spellings = keyword(schema, "anyOf")
        .and_then(Value::as_array)
        .filter(|branches| branches.iter().all(is_demand))
        .and_then(|branches| branches.first())
        .into_iter()
        .flat_map(demands)
        .filter(|key| is_spelled_twice(schema, key));
    demands(schema).chain(spellings)
}

/// Whether a key has another spelling.
fn is_spelled_twice(schema: &Value, key: &str) -> bool {
    keyword(schema, "properties")
        .and_then(Value::as_object)
        .is_some_and(|properties| {
            properties
                .values()
                .any(|property| keyword(property, SAME_AS).is_some_and(|same| same == key))
        })
}

/// Whether a schema demands keys and nothing else.
pub(super) fn is_demand(schema: &Value) -> bool {
    schema
        .as_object()
        .is_some_and(|schema| schema.keys().all(|key| key == "required" || key == "title"))
}

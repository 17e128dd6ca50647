//! Names and arguments of calls that no path reads: without them a rule would pass whatever the agent did.

use serde_json::{Map, Value};

use super::mapping::{CallMapping, CompiledPick};
use ananke_base::source::{printable, received_json};
use ananke_trace::trace::{is_arguments_key, is_name_key, written_arguments};

/// The key of an item of a call under which it has arguments, if no path of `response.calls.args` leads there. `read` are the
/// arguments that it does lead to.
pub(crate) fn key_of_arguments<'v>(
    item: &'v Value,
    mapping: &CallMapping,
    read: Option<&Value>,
) -> Option<&'v str> {
    // A key that is usual for arguments is believed to have them.
    if read.is_some() && leads_through(mapping.args.as_ref(), &is_arguments_key) {
        return None;
    }
    for keys in objects_of(item) {
        if let Some((key, value)) = written_arguments(keys)
            && !is_empty(value)
            && read != Some(value)
            && !is_named(mapping, key)
        {
            return Some(key);
        }
    }
    None
}

/// The evidence that an item of a call names another tool, if `response.calls.name` finds its `name` under a key that is not usual for
/// one, such as `type`.
pub(crate) fn other_name(item: &Value, mapping: &CallMapping, name: &str) -> Option<String> {
    if leads_through(Some(&mapping.name), &is_name_key) {
        return None;
    }
    for keys in objects_of(item) {
        for (key, value) in keys {
            if let Value::String(other) = value
                && is_name_key(key)
                && other != name
                && !other.is_empty()
            {
                return Some(format!(
                    "its item names `{}` in `{}`, and `response.calls.name` finds `{}`",
                    printable(other),
                    printable(key),
                    printable(name)
                ));
            }
        }
    }
    None
}

/// An item and what is in it: the name and the arguments may be in `function`, or in a list of a call and its result.
fn objects_of(item: &Value) -> Vec<&Map<String, Value>> {
    let mut values = vec![item];
    match item {
        Value::Object(keys) => values.extend(keys.values()),
        Value::Array(items) => values.extend(items),
        _ => {}
    }
    let mut objects = Vec::new();
    for value in values {
        objects.extend(value.as_object());
    }
    objects
}

/// Whether a path of the mapping that finds arguments or a result goes through this key: the rest there is not read on purpose.
fn is_named(mapping: &CallMapping, key: &str) -> bool {
    let picks = [&mapping.args, &mapping.result, &mapping.error];
    picks
        .into_iter()
        .any(|pick| leads_through(pick.as_ref(), &|name| name == key))
}

/// Whether a path of a pick has a key for which `is_such` holds.
fn leads_through(pick: Option<&CompiledPick>, is_such: &dyn Fn(&str) -> bool) -> bool {
    match pick {
        Some(pick) => pick.paths.iter().any(|path| path.leads_through(is_such)),
        None => false,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty() || text.trim() == "{}",
        Value::Array(items) => items.is_empty(),
        Value::Object(keys) => keys.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether the arguments that were `read` have all that `other` has of the same call: a response says a call several times, and often
/// says less of it while it is not complete.
pub(crate) fn covers(read: &Value, other: &Value) -> bool {
    if is_empty(other) || read == other {
        return true;
    }
    match other {
        Value::Object(keys) => keys.iter().all(|(key, value)| match read.get(key) {
            Some(read) => covers(read, value),
            None => false,
        }),
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.all(|(index, item)| match read.get(index) {
                Some(read) => covers(read, item),
                None => false,
            })
        }
        Value::String(text) => match read {
            Value::String(read) => read.starts_with(text),
            _ => match received_json::read(text) {
                Ok(whole) => covers(read, &whole.value),
                // A piece of the text of the arguments, in which only the spaces may differ.
                Err(_) => without_spaces(&read.to_string()).contains(&without_spaces(text)),
            },
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn without_spaces(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn less_of_the_same_arguments_is_no_other_arguments() {
        let read = json!({"id": "O-7", "lines": [{"sku": "mug", "count": 2}]});
        for (other, expected) in [
            (json!(null), true),
            (json!({}), true),
            (json!(""), true),
            (json!({"id": "O-"}), true),
            (json!({"id": "O-7", "lines": [{"sku": "mug"}]}), true),
            (json!("{\"id\": \"O-7\""), true),
            (json!(read.to_string()), true),
            (json!({"id": "O-8"}), false),
            (json!({"id": "O-7", "force": true}), false),
            (json!({"lines": [{"count": 3}]}), false),
            (json!("{\"id\": \"O-8\""), false),
        ] {
            assert_eq!(covers(&read, &other), expected, "{other}");
        }
        assert!(!covers(&json!({}), &json!("{\"id\":")));
    }
}

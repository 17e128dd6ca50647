//! Arguments of calls that no path reads: without them a rule about arguments would pass whatever the agent did.

use serde_json::Value;

use super::mapping::CallMapping;
use ananke_base::source::received_json;
use ananke_trace::trace::written_arguments;

/// The key of an item of a call under which it has arguments, if no path of `response.calls.args` leads there.
pub(crate) fn key_of_arguments<'v>(item: &'v Value, mapping: &CallMapping) -> Option<&'v str> {
    // The name and the arguments may be inside: in `function`, or in a list of a call and its result.
    let mut objects = vec![item];
    match item {
        Value::Object(keys) => objects.extend(keys.values()),
        Value::Array(items) => objects.extend(items),
        _ => {}
    }
    for object in objects {
        let Value::Object(keys) = object else {
            continue;
        };
        if let Some((key, value)) = written_arguments(keys)
            && !is_empty(value)
            && !is_named(mapping, key)
        {
            return Some(key);
        }
    }
    None
}

/// Whether a path of the mapping that finds arguments or a result goes through this key: what it leaves out there is left out on
/// purpose.
fn is_named(mapping: &CallMapping, key: &str) -> bool {
    for pick in [&mapping.args, &mapping.result, &mapping.error] {
        let Some(pick) = pick else {
            continue;
        };
        let words = pick.words();
        let mut names = words.split(|c: char| !c.is_alphanumeric() && c != '_');
        if names.any(|name| name == key) {
            return true;
        }
    }
    false
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

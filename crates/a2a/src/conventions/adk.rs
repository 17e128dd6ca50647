//! The convention of Google's Agent Development Kit, and of those that follow it: a data part whose metadata says that it is a
//! call or its result.

use serde_json::Value;

use super::ConventionChange;
use ananke_trace::trace::read_json;

/// Before the keys of the metadata, by implementation.
const PREFIXES: [&str; 3] = ["adk_", "kagent_", ""];

/// The change of a call; `None` if it is a part like any other.
pub(super) fn read(part: &Value) -> Option<ConventionChange> {
    let metadata = part.get("metadata")?;
    let of = |key: &str| {
        PREFIXES
            .iter()
            .find_map(|prefix| metadata.get(format!("{prefix}{key}")))
    };
    if of("thought") == Some(&Value::Bool(true)) {
        return part
            .get("text")
            .and_then(Value::as_str)
            .map(|text| ConventionChange::Reasoning(text.to_owned()));
    }
    let data = part.get("data").filter(|data| !data.is_null())?;
    let is_call = match of("type")?.as_str()? {
        "function_call" | "tool_call" => true,
        "function_response" | "tool_response" => false,
        _ => return None,
    };
    let id = id_of(data);
    let name = data.get("name").and_then(Value::as_str);
    match name {
        Some(name) if is_call && !name.is_empty() => Some(ConventionChange::Call {
            id,
            name: name.to_owned(),
            args: data.get("args").cloned().unwrap_or_default(),
        }),
        _ if is_call || !data.is_object() || data.get("name").is_some() && name.is_none() => {
            Some(ConventionChange::Unreadable(data.clone()))
        }
        _ => {
            let result = data.get("response").cloned().unwrap_or_default();
            let is_error = result.get("error").map(|error| !error.is_null());
            Some(ConventionChange::Result {
                id,
                name: name.unwrap_or_default().to_owned(),
                result,
                is_error,
            })
        }
    }
}

/// An id: a text, or a number as its text; empty if there is none.
fn id_of(data: &Value) -> String {
    match data.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => String::new(),
    }
}

/// Whether the data of a part without such metadata have the form of a call or a result, also in a list or as JSON in a text.
pub(super) fn is_like_call(data: &Value) -> bool {
    match data {
        Value::Object(keys) => {
            let has = |key: &str| keys.get(key).is_some_and(|value| !value.is_null());
            let is_named = keys.get("name").is_some_and(Value::is_string);
            is_named && (has("args") || has("response")) || keys.values().any(is_like_call)
        }
        Value::Array(items) => items.iter().any(is_like_call),
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            read_json(text).is_ok_and(|read| is_like_call(&read.value))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_and_results_are_known_by_their_metadata() {
        for key in ["adk_type", "kagent_type", "type"] {
            for kind in ["function_call", "tool_call"] {
                let part = json!({ "data": { "id": "c", "name": "pay", "args": { "n": 1 } }, "metadata": { key: kind } });
                let call = ConventionChange::Call {
                    id: "c".to_owned(),
                    name: "pay".to_owned(),
                    args: json!({ "n": 1 }),
                };
                assert_eq!(read(&part), Some(call));
            }
            let part = json!({ "data": { "id": "c", "name": "pay", "response": 1 }, "metadata": { key: "function_response" } });
            let result = ConventionChange::Result {
                id: "c".to_owned(),
                name: "pay".to_owned(),
                result: json!(1),
                is_error: None,
            };
            assert_eq!(read(&part), Some(result));
        }
        let thought = json!({ "text": "hm", "metadata": { "adk_thought": true } });
        assert_eq!(
            read(&thought),
            Some(ConventionChange::Reasoning("hm".to_owned()))
        );
        for part in [
            json!({ "data": { "id": "c" } }),
            json!({ "text": "hi", "metadata": { "adk_thought": false } }),
            json!({ "data": {}, "metadata": { "adk_type": "code_execution_result" } }),
            json!({ "data": null, "metadata": { "adk_type": "function_call" } }),
        ] {
            assert_eq!(read(&part), None, "{part}");
        }
        for data in [
            json!("{\"name\":\"pay\",\"args\":{}}"),
            json!([{ "name": "pay", "args": {} }]),
            json!({ "name": ["pay"], "args": {} }),
            json!({ "args": {} }),
            json!(1),
        ] {
            let part = json!({ "data": data, "metadata": { "adk_type": "function_call" } });
            assert_eq!(
                read(&part),
                Some(ConventionChange::Unreadable(data)),
                "{part}"
            );
        }
    }

    #[test]
    fn data_without_metadata_may_have_the_form_of_a_call() {
        for data in [
            json!({ "name": "pay", "args": {} }),
            json!([{ "call": { "name": "pay", "response": 1 } }]),
            json!("[{\"name\":\"pay\",\"args\":{}}]"),
        ] {
            assert!(is_like_call(&data), "{data}");
        }
        for data in [
            json!({ "name": "Rome", "input": {} }),
            json!({ "name": "pay", "args": null }),
            json!({ "args": {} }),
            json!("name args"),
            json!(1),
        ] {
            assert!(!is_like_call(&data), "{data}");
        }
    }
}

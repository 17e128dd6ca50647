//! The convention of Google's Agent Development Kit, and of those that follow it: a data part whose metadata says that it is a
//! call or its result.

use serde_json::Value;

use super::ConventionChange;

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
    let data = part.get("data").filter(|data| data.is_object())?;
    let text = |key: &str| {
        data.get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let (id, name) = (text("id"), text("name"));
    match of("type")?.as_str()? {
        "function_call" | "tool_call" => {
            let args = data.get("args").cloned().unwrap_or_default();
            Some(ConventionChange::Call { id, name, args })
        }
        "function_response" | "tool_response" => {
            let result = data.get("response").cloned().unwrap_or_default();
            let is_error = result.get("error").map(|error| !error.is_null());
            Some(ConventionChange::Result {
                id,
                name,
                result,
                is_error,
            })
        }
        _ => None,
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
            json!({ "data": 1, "metadata": { "adk_type": "function_call" } }),
        ] {
            assert_eq!(read(&part), None, "{part}");
        }
    }
}

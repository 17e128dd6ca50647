//! The convention of Gemini CLI: the metadata of a status update say that its message is about a tool call.

use serde_json::Value;

use super::super::part::{PartContent, content, parts, text_of};
use super::ConventionChange;

/// The changes of calls in a status update.
pub(super) fn read(update: &Value) -> Vec<ConventionChange> {
    let kind = update
        .pointer("/metadata/coderAgent/kind")
        .and_then(Value::as_str);
    let message = update.pointer("/status/message").unwrap_or(&Value::Null);
    match kind {
        Some("tool-call-update" | "tool-call-confirmation") => {
            let data = parts(message)
                .iter()
                .filter_map(|part| match content(part) {
                    PartContent::Data(data) => Some(data),
                    _ => None,
                });
            data.flat_map(of_call).collect()
        }
        Some("text-content") => vec![ConventionChange::Text(text_of(message))],
        Some("thought") => vec![ConventionChange::Reasoning(text_of(message))],
        _ => Vec::new(),
    }
}

/// A call as it is now: that it is there, and what came of it.
fn of_call(data: &Value) -> Vec<ConventionChange> {
    let text = |path: &str| {
        data.pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let (id, name) = (text("/request/callId"), text("/request/name"));
    if name.is_empty() {
        return vec![ConventionChange::Unreadable(data.clone())];
    }
    let args = data.pointer("/request/args").cloned().unwrap_or_default();
    let mut changes = vec![ConventionChange::Call {
        id: id.clone(),
        name: name.clone(),
        args,
    }];
    let result = |is_error| ConventionChange::Result {
        id: id.clone(),
        name: name.clone(),
        result: data.get("response").cloned().unwrap_or_default(),
        is_error: Some(is_error),
    };
    match data.get("status").and_then(Value::as_str) {
        Some("success") => changes.push(result(false)),
        Some("error") => changes.push(result(true)),
        Some("cancelled") => {
            changes.extend([result(true), ConventionChange::Denied { id: id.clone() }]);
        }
        // It is scheduled, waits for an approval, or is executed.
        Some(_) => {}
        None if data.get("status").is_none_or(Value::is_null) => {}
        None => changes.push(ConventionChange::Unreadable(data.clone())),
    }
    changes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn update(kind: &str, part: &Value) -> Value {
        json!({ "metadata": { "coderAgent": { "kind": kind } }, "status": { "message": { "parts": [part] } } })
    }

    #[test]
    fn a_call_is_known_by_its_status() {
        let of = |status: &str| {
            let data = json!({ "request": { "callId": "c", "name": "ls", "args": { "path": "." } }, "status": status, "response": 1 });
            read(&update(
                "tool-call-update",
                &json!({ "kind": "data", "data": data }),
            ))
        };
        let (id, name) = ("c".to_owned(), "ls".to_owned());
        let call = ConventionChange::Call {
            id: id.clone(),
            name: name.clone(),
            args: json!({ "path": "." }),
        };
        let result = |is_error| ConventionChange::Result {
            id: id.clone(),
            name: name.clone(),
            result: json!(1),
            is_error: Some(is_error),
        };
        for status in ["scheduled", "awaiting_approval", "executing"] {
            assert_eq!(of(status), std::slice::from_ref(&call));
        }
        assert_eq!(of("success"), [call.clone(), result(false)]);
        assert_eq!(of("error"), [call.clone(), result(true)]);
        assert_eq!(
            of("cancelled"),
            [
                call,
                result(true),
                ConventionChange::Denied { id: id.clone() }
            ]
        );
    }

    #[test]
    fn text_and_thoughts_have_kinds_of_their_own() {
        let part = json!({ "kind": "text", "text": "hi" });
        assert_eq!(
            read(&update("text-content", &part)),
            [ConventionChange::Text("hi".to_owned())]
        );
        assert_eq!(
            read(&update("thought", &part)),
            [ConventionChange::Reasoning("hi".to_owned())]
        );
        assert_eq!(read(&update("state-change", &part)), []);
        assert_eq!(read(&json!({})), []);
    }
}

//! The arguments and the result of an item that is a call: each tool of the API has keys of its own for both.

use std::borrow::Cow;

use serde_json::{Map, Value};

use ananke_base::source::received_json::without_marks;
use ananke_trace::trace::ResultContent;

/// The keys of a call that are neither its arguments nor part of them.
const NOT_ARGUMENTS: [&str; 27] = [
    "id",
    "type",
    "status",
    "call_id",
    "name",
    "server_label",
    "namespace",
    "caller",
    "async",
    "created_by",
    "agent",
    "phase",
    "approval_request_id",
    "execution",
    "environment",
    "container_id",
    "pending_safety_checks",
    "max_output_length",
    "background",
    "error",
    "output",
    "outputs",
    "result",
    "results",
    "sources",
    "encrypted_content",
    "fingerprint",
];

/// The keys under which a call has its result, of which the first with a value counts.
const RESULTS: [&str; 4] = ["output", "outputs", "results", "result"];

/// The result of a call that its item has.
#[derive(Debug, PartialEq)]
pub(super) struct ItemResult {
    pub(super) content: ResultContent<'static>,
    pub(super) is_error: Option<bool>,
}

/// The arguments of a call as JSON text; `None` if the item has none.
pub(super) fn arguments_of(item: &Value) -> Option<Cow<'_, str>> {
    match item.get("arguments") {
        Some(Value::String(text)) => return Some(Cow::Borrowed(text)),
        Some(Value::Null) | None => {}
        // Some servers send the arguments as JSON instead of as a text.
        Some(value) => return Some(Cow::Owned(without_marks(value).to_string())),
    }
    // Tools of the API have keys of their own instead: `queries`, `code`, `input`.
    let mut arguments = Map::new();
    for (key, value) in item.as_object()? {
        if !NOT_ARGUMENTS.contains(&key.as_str()) && !value.is_null() {
            arguments.insert(key.clone(), without_result(key, value));
        }
    }
    // A tool with one object for what it does has its arguments in there: `action.query` is `query`.
    for key in ["action", "operation"] {
        if arguments.len() == 1
            && let Some(Value::Object(only)) = arguments.get(key)
        {
            let only = only.clone();
            arguments = only;
            break;
        }
    }
    if arguments.is_empty() {
        return None;
    }
    let arguments = Value::Object(arguments);
    Some(Cow::Owned(without_marks(&arguments).to_string()))
}

/// A value without the sources that a search found, which are its result.
fn without_result(key: &str, value: &Value) -> Value {
    let mut arguments = value.clone();
    if key == "action"
        && let Some(action) = arguments.as_object_mut()
    {
        action.remove("sources");
        action.retain(|_, value| !value.is_null());
    }
    arguments
}

/// The result of a call that the server executed; `None` if the item shows none.
pub(super) fn result_of(item: &Value) -> Option<ItemResult> {
    let has_failed = item["status"] == "failed";
    // An error is the result of a call that failed.
    let error = &item["error"];
    if !error.is_null() {
        let said = error.get("message").or_else(|| error.get("content"));
        let content = content_of(said.unwrap_or(error));
        return Some(ItemResult {
            content,
            is_error: Some(true),
        });
    }
    let mut keys = RESULTS.iter();
    let result = keys.find_map(|key| item.get(*key).filter(|value| !value.is_null()));
    // A search has its result in its action.
    let sources = &item["action"]["sources"];
    let result = match result {
        Some(result) => result,
        None if !sources.is_null() => sources,
        None => return None,
    };
    Some(ItemResult {
        content: content_of(result),
        is_error: if has_failed { Some(true) } else { None },
    })
}

/// The value of a result: a text as it is, the texts of a list of parts joined, and anything else as JSON.
pub(super) fn content_of(value: &Value) -> ResultContent<'static> {
    match value {
        Value::String(text) => ResultContent::Text(text.clone().into()),
        Value::Array(parts) => match texts_of(parts) {
            Some(text) => ResultContent::Text(text.into()),
            None => ResultContent::Json(value.clone()),
        },
        _ => ResultContent::Json(value.clone()),
    }
}

/// The texts of parts, joined by newlines; `None` if there is no part, or one that is not a text.
fn texts_of(parts: &[Value]) -> Option<String> {
    let mut texts = Vec::new();
    for part in parts {
        let is_text = matches!(
            part["type"].as_str(),
            Some("input_text" | "output_text" | "text")
        );
        match part["text"].as_str() {
            Some(text) if is_text => texts.push(text),
            _ => return None,
        }
    }
    if texts.is_empty() {
        return None;
    }
    Some(texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_tool_has_its_arguments_where_the_api_has_them() {
        for (item, expected) in [
            (
                json!({ "type": "function_call", "arguments": "{\"a\": 1}" }),
                Some("{\"a\": 1}"),
            ),
            (
                json!({ "type": "function_call", "arguments": { "a": 1 } }),
                Some("{\"a\":1}"),
            ),
            (
                json!({ "type": "custom_tool_call", "name": "sql", "input": "select" }),
                Some("{\"input\":\"select\"}"),
            ),
            (
                json!({ "type": "web_search_call", "status": "completed", "action": { "type": "search", "query": "x", "sources": [1], "url": null } }),
                Some("{\"type\":\"search\",\"query\":\"x\"}"),
            ),
            (
                json!({ "type": "file_search_call", "queries": ["a"], "results": null }),
                Some("{\"queries\":[\"a\"]}"),
            ),
            (
                json!({ "type": "code_interpreter_call", "code": "1", "container_id": "c", "outputs": [] }),
                Some("{\"code\":\"1\"}"),
            ),
            (
                json!({ "type": "apply_patch_call", "call_id": "c", "operation": { "type": "delete_file", "path": "p" } }),
                Some("{\"type\":\"delete_file\",\"path\":\"p\"}"),
            ),
            (json!({ "type": "web_search_call", "id": "w" }), None),
        ] {
            assert_eq!(arguments_of(&item).as_deref(), expected, "{item}");
        }
    }

    #[test]
    fn each_tool_has_its_result_where_the_api_has_it() {
        let text = |text: &'static str| ResultContent::Text(text.into());
        for (item, content, is_error) in [
            (
                json!({ "type": "mcp_call", "output": "4", "error": null }),
                text("4"),
                None,
            ),
            (
                json!({ "type": "mcp_call", "output": null, "error": "no die" }),
                text("no die"),
                Some(true),
            ),
            (
                json!({ "type": "mcp_call", "error": { "type": "protocol", "message": "gone" } }),
                text("gone"),
                Some(true),
            ),
            (
                json!({ "type": "image_generation_call", "status": "failed", "result": "x" }),
                text("x"),
                Some(true),
            ),
            (
                json!({ "type": "file_search_call", "results": [{ "file_id": "f" }] }),
                ResultContent::Json(json!([{ "file_id": "f" }])),
                None,
            ),
            (
                json!({ "type": "web_search_call", "action": { "sources": [{ "url": "u" }] } }),
                ResultContent::Json(json!([{ "url": "u" }])),
                None,
            ),
            (
                json!({ "output": [{ "type": "input_text", "text": "a" }, { "type": "input_text", "text": "b" }] }),
                text("a\nb"),
                None,
            ),
        ] {
            assert_eq!(
                result_of(&item),
                Some(ItemResult { content, is_error }),
                "{item}"
            );
        }
        assert_eq!(
            result_of(&json!({ "type": "web_search_call", "action": { "query": "x" } })),
            None
        );
    }
}

//! The result of a call without what instrumentations and protocols put around it, and what that says of the call's end.

use serde_json::{Map, Value};

use super::conventions::Conventions;
use super::message_item::{inner_json, is_given};
use super::tool_end::ToolEnd;

/// The largest number of objects around a result.
const DEEPEST: usize = 4;

/// The keys of a result that is an object with its parts.
const KEYS_WITH_PARTS: [&str; 4] = ["content", "isError", "structuredContent", "_meta"];

/// A result, and the end of its call if the result contains it.
#[derive(Debug, PartialEq)]
pub(crate) struct UnwrappedResult {
    pub(crate) value: Value,
    pub(crate) end: Option<ToolEnd>,
}

impl Conventions {
    /// The result without the objects around it. One part of text or JSON is its content; several stay a list.
    pub(crate) fn result(&self, value: Value) -> UnwrappedResult {
        let mut result = UnwrappedResult { value, end: None };
        for _ in 0..DEEPEST {
            let Some(inner) = self.inner_result(&result.value) else {
                break;
            };
            result = UnwrappedResult {
                value: inner.value,
                end: inner.end.or(result.end),
            };
        }
        result
    }

    /// The result in this one, if something known is around it.
    fn inner_result(&self, value: &Value) -> Option<UnwrappedResult> {
        if let Value::Array(parts) = value {
            let [part] = &parts[..] else { return None };
            let value = content_of_part(part.as_object()?)?;
            return Some(UnwrappedResult { value, end: None });
        }
        let object = value.as_object()?;
        if let Some(result) = result_with_parts(object) {
            return Some(result);
        }
        for around in &self.wrapped_results {
            if at(value, &around.key).and_then(Value::as_str) != Some(&around.value) {
                continue;
            }
            let inner = match at(value, &around.result) {
                Some(inner) => inner.clone(),
                // A call that was denied may have no reason.
                None if around.end == Some(ToolEnd::Denied) => Value::from(""),
                None => continue,
            };
            let status = around.status.as_ref().and_then(|path| at(value, path));
            let end = status.and_then(|status| self.messages.end_of_status(status));
            let end = end.or(around.end);
            return Some(UnwrappedResult { value: inner, end });
        }
        None
    }

    /// The result of a call that is at one key if the call succeeded, and at another if it failed.
    pub(crate) fn keyed_result(&self, value: Value) -> UnwrappedResult {
        let keys = &self.messages.keyed_results;
        let Value::Object(mut object) = value else {
            let end = None;
            return UnwrappedResult { value, end };
        };
        if object.get(&keys.failed).is_some_and(is_given) {
            let value = match object.len() {
                1 => object.remove(&keys.failed).unwrap_or_default(),
                _ => Value::Object(object),
            };
            let end = Some(ToolEnd::Failed);
            return UnwrappedResult { value, end };
        }
        let value = match object.len() {
            1 if object.contains_key(&keys.succeeded) => {
                object.remove(&keys.succeeded).unwrap_or_default()
            }
            _ => Value::Object(object),
        };
        let end = Some(ToolEnd::Succeeded);
        UnwrappedResult { value, end }
    }
}

/// The value at this place.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    value.pointer(&format!("/{path}"))
}

/// What is in a part of text or of JSON.
fn content_of_part(part: &Map<String, Value>) -> Option<Value> {
    let is_typed = match part.get("type") {
        None => false,
        Some(Value::String(kind)) => {
            if !matches!(&**kind, "text" | "json" | "input_text" | "output_text") {
                return None;
            }
            true
        }
        Some(_) => return None,
    };
    let content = match (part.get("text"), part.get("json")) {
        (Some(text @ Value::String(_)), None) => text,
        (None, Some(json)) => json,
        _ => return None,
    };
    (is_typed || part.len() == 1).then(|| content.clone())
}

/// The result in an object with its parts, if it is one part, which its structured content
/// repeats if there is any.
fn result_with_parts(object: &Map<String, Value>) -> Option<UnwrappedResult> {
    let parts = object.get("content")?.as_array()?;
    let [Value::Object(part)] = &parts[..] else {
        return None;
    };
    if object.keys().any(|key| !KEYS_WITH_PARTS.contains(&&**key)) {
        return None;
    }
    let value = content_of_part(part)?;
    let structured = object
        .get("structuredContent")
        .filter(|value| is_given(value));
    if let Some(structured) = structured
        && inner_json(&value) != *structured
    {
        return None;
    }
    let end = match object.get("isError").and_then(Value::as_bool) {
        Some(true) => Some(ToolEnd::Failed),
        Some(false) => Some(ToolEnd::Succeeded),
        None => None,
    };
    Some(UnwrappedResult { value, end })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_is_what_is_in_the_known_objects_around_it() {
        let (ok, failed) = (Some(ToolEnd::Succeeded), Some(ToolEnd::Failed));
        let text = json!("sunny");
        for (value, expected, end) in [
            (json!([{ "type": "text", "text": "sunny" }]), &text, None),
            (json!([{ "text": "sunny" }]), &text, None),
            (json!([{ "json": "sunny" }]), &text, None),
            (
                json!({ "content": [{ "type": "text", "text": "sunny" }], "isError": true }),
                &text,
                failed,
            ),
            (
                json!({ "content": [{ "type": "text", "text": "sunny" }] }),
                &text,
                None,
            ),
            (json!({ "type": "json", "value": "sunny" }), &text, ok),
            (
                json!({ "type": "content", "value": [{ "type": "text", "text": "sunny" }] }),
                &text,
                ok,
            ),
            (
                json!({ "type": "error-text", "value": "sunny" }),
                &text,
                failed,
            ),
            (
                json!({ "type": "execution-denied" }),
                &json!(""),
                Some(ToolEnd::Denied),
            ),
            (
                json!({ "type": "tool", "data": { "content": "sunny", "status": "success" } }),
                &text,
                ok,
            ),
            (
                json!({ "type": "tool", "content": "sunny", "status": "error" }),
                &text,
                failed,
            ),
            (
                json!({ "output": { "lc": 1, "kwargs": { "type": "tool", "content": "sunny", "status": "error" } }, "kwargs": {} }),
                &text,
                failed,
            ),
        ] {
            let found = Conventions::known().result(value.clone());
            assert_eq!((&found.value, found.end), (expected, end), "{value}");
        }
    }

    #[test]
    fn what_a_tool_returns_stays_as_it_is() {
        for value in [
            json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]),
            json!([{ "text": "a", "score": 1 }]),
            json!([{ "type": "image", "text": "a" }]),
            json!({ "content": [{ "text": "a" }], "page": 2 }),
            json!({ "content": [{ "text": "a" }], "structuredContent": { "b": 1 } }),
            json!({ "type": "text", "text": "a" }),
            json!({ "type": "tool" }),
            json!([]),
            json!("[{\"text\":\"a\"}]"),
        ] {
            let end = None;
            let expected = UnwrappedResult {
                value: value.clone(),
                end,
            };
            assert_eq!(Conventions::known().result(value), expected);
        }
    }

    #[test]
    fn a_key_says_whether_a_call_failed() {
        for (value, expected, end) in [
            (json!({ "output": 1 }), json!(1), ToolEnd::Succeeded),
            (
                json!({ "output": 1, "unit": "C" }),
                json!({ "output": 1, "unit": "C" }),
                ToolEnd::Succeeded,
            ),
            (json!({ "error": "no" }), json!("no"), ToolEnd::Failed),
            (
                json!({ "error": null, "a": 1 }),
                json!({ "error": null, "a": 1 }),
                ToolEnd::Succeeded,
            ),
            (
                json!({ "error": "no", "a": 1 }),
                json!({ "error": "no", "a": 1 }),
                ToolEnd::Failed,
            ),
        ] {
            let found = Conventions::known().keyed_result(value.clone());
            assert_eq!((found.value, found.end), (expected, Some(end)), "{value}");
        }
    }
}

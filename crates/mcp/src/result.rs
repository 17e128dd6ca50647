//! The content and the failure of a server's results.

use std::borrow::Cow;

use serde_json::{Map, Value};

use ananke_agents::TargetError;
use ananke_trace::trace::{Fact, Facts, ResultContent, Unread};

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallResult {
    /// The content of the result: its structured content; else its text, if it has nothing else; else its parts.
    pub(super) content: ResultContent<'static>,
    /// The text of its parts.
    pub(super) text: String,
    /// Whether the tool failed.
    pub(super) is_error: bool,
    /// The texts that come with the text: of embedded resources, and of the structured content.
    pub(super) beside: Vec<String>,
    /// The parts of it that are not understood (SPEC 13).
    pub(super) unread: Vec<Unread<'static>>,
}

/// The facts that the text of a call's result carries.
const RESULT_TEXT: Facts = Facts::of(&[Fact::Results, Fact::Text]);

/// The facts that any other text carries.
const TEXT: Facts = Facts::of(&[Fact::Text]);

/// The kinds of parts of a result that are no text; those of resources have their own.
const SILENT_PARTS: [&str; 3] = ["image", "audio", "resource_link"];

/// The number of bytes of texts that come with the text and are kept.
const MAX_BESIDE: usize = 1 << 20;

/// A page of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ListPage {
    pub(super) items: Vec<Value>,
    /// The next page, if there is one.
    pub(super) next: Option<String>,
}

impl CallResult {
    /// Reads the result of `tools/call`.
    ///
    /// # Errors
    /// If it is not what the protocol promises.
    pub(super) fn read(result: Value) -> Result<Self, TargetError> {
        const METHOD: &str = "tools/call";
        let mut result = object(result, METHOD)?;
        let Some(Value::Array(parts)) = result.remove("content") else {
            return Err(wrong(METHOD, "no list `content`"));
        };
        let is_error = match result.remove("isError") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(is_error)) => is_error,
            Some(_) => return Err(wrong(METHOD, "an `isError` that is neither true nor false")),
        };
        let texts: Vec<&str> = parts.iter().filter_map(text_of).collect();
        let (mut text, is_text) = (texts.join("\n"), texts.len() == parts.len());
        let mut beside: Vec<String> = parts.iter().filter_map(text_of_resource).collect();
        let mut unread = unread_parts("content", &parts, RESULT_TEXT);
        let structured = result
            .remove("structuredContent")
            .filter(|structured| !structured.is_null());
        if let Some(structured) = &structured {
            leaves(structured, &mut beside);
            if text.is_empty() {
                text = structured.to_string();
            }
        }
        unread.extend(
            result
                .iter()
                .filter(|(key, _)| *key != "_meta")
                .filter_map(|(key, value)| Unread::key(format!("key:result.{key}"), value)),
        );
        let content = match structured {
            Some(value) => ResultContent::Structured {
                value,
                text: (!texts.is_empty()).then(|| texts.join("\n")),
            },
            None if is_text => ResultContent::Text(Cow::Owned(text.clone())),
            None => ResultContent::Json(Value::Array(parts)),
        };
        Ok(Self {
            content,
            text,
            is_error,
            beside,
            unread,
        })
    }
}

impl ListPage {
    /// Reads the result of `method`, whose list is under `key`.
    ///
    /// # Errors
    /// If it is not what the protocol promises.
    pub(super) fn read(result: Value, method: &str, key: &str) -> Result<Self, TargetError> {
        let mut result = object(result, method)?;
        let Some(Value::Array(items)) = result.remove(key) else {
            return Err(wrong(method, &format!("no list `{key}`")));
        };
        let next = match result.remove("nextCursor") {
            None | Some(Value::Null) => None,
            // Some SDKs write an empty one at the end.
            Some(Value::String(cursor)) if cursor.is_empty() => None,
            Some(Value::String(cursor)) => Some(cursor),
            Some(_) => return Err(wrong(method, "a `nextCursor` that is not a text")),
        };
        Ok(Self { items, next })
    }
}

/// The text of an answer, and the parts of it that are not understood.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AnswerText {
    pub(super) text: String,
    pub(super) unread: Vec<Unread<'static>>,
}

/// The text of what `resources/read` answers.
///
/// # Errors
/// If it is not what the protocol promises.
pub(super) fn resource_text(result: Value) -> Result<AnswerText, TargetError> {
    const METHOD: &str = "resources/read";
    let Some(Value::Array(contents)) = object(result, METHOD)?.remove("contents") else {
        return Err(wrong(METHOD, "no list `contents`"));
    };
    let texts: Vec<&str> = contents.iter().filter_map(text_of_contents).collect();
    let is_unread = |contents: &&Value| {
        !contents.is_object() || other_kind(contents, "text", Value::is_string).is_some()
    };
    let unread = contents.iter().filter(is_unread);
    let unread = unread.map(|item| Unread::other_kind("key:contents[]", TEXT, item));
    Ok(AnswerText {
        text: texts.join("\n"),
        unread: unread.collect(),
    })
}

fn text_of_contents(contents: &Value) -> Option<&str> {
    contents.get("text")?.as_str()
}

/// The text of the messages that `prompts/get` answers.
///
/// # Errors
/// If it is not what the protocol promises.
pub(super) fn prompt_text(result: Value) -> Result<AnswerText, TargetError> {
    const METHOD: &str = "prompts/get";
    let Some(Value::Array(messages)) = object(result, METHOD)?.remove("messages") else {
        return Err(wrong(METHOD, "no list `messages`"));
    };
    let mut texts = Vec::new();
    let mut unread = Vec::new();
    for message in &messages {
        match message.get("content") {
            Some(content) if !content.is_null() => {
                texts.extend(text_of(content));
                let content = std::slice::from_ref(content);
                unread.extend(unread_parts("messages[].content", content, TEXT));
            }
            _ if message.is_object() => {}
            _ => unread.push(Unread::other_kind("key:messages[]", TEXT, message)),
        }
    }
    Ok(AnswerText {
        text: texts.join("\n"),
        unread,
    })
}

/// The version that the result of `initialize` chooses.
///
/// # Errors
/// If it is not what the protocol promises.
pub(super) fn chosen_version(result: Value) -> Result<String, TargetError> {
    const METHOD: &str = "initialize";
    match object(result, METHOD)?.remove("protocolVersion") {
        Some(Value::String(version)) => Ok(version),
        _ => Err(wrong(METHOD, "no text `protocolVersion`")),
    }
}

fn object(result: Value, method: &str) -> Result<Map<String, Value>, TargetError> {
    match result {
        Value::Object(result) => Ok(result),
        _ => Err(TargetError::new(format!(
            "the result of `{method}` is not an object"
        ))),
    }
}

fn wrong(method: &str, what: &str) -> TargetError {
    TargetError::new(format!("the result of `{method}` has {what}"))
}

/// The parts under `key` that are not understood. A part that is none, and one whose text is of another kind, carries `facts`.
fn unread_parts(key: &str, parts: &[Value], facts: Facts) -> Vec<Unread<'static>> {
    let unread = |part: &Value| {
        let Value::Object(_) = part else {
            return Some(Unread::other_kind(format!("key:{key}[]"), facts, part));
        };
        if text_of(part).is_some() {
            return None;
        }
        let kind = match part.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            Some(kind) if !kind.is_null() => {
                return Some(Unread::other_kind(format!("key:{key}[].type"), facts, kind));
            }
            _ => "",
        };
        match kind {
            "text" => {
                let text = other_kind(part, "text", Value::is_string)?;
                Some(Unread::other_kind(format!("key:{key}[].text"), facts, text))
            }
            "resource" => {
                let name = format!("key:{key}[].resource");
                if let Some(resource) = other_kind(part, "resource", Value::is_object) {
                    return Some(Unread::other_kind(name, facts, resource));
                }
                let text = other_kind(part.get("resource")?, "text", Value::is_string)?;
                Some(Unread::other_kind(name + ".text", facts, text))
            }
            _ if SILENT_PARTS.contains(&kind) => None,
            _ => Some(Unread::item(format!("part:{kind}"), part)),
        }
    };
    parts.iter().filter_map(unread).collect()
}

/// The value of a key that is there and not of the kind that is read.
fn other_kind<'v>(object: &'v Value, key: &str, is_read: fn(&Value) -> bool) -> Option<&'v Value> {
    let value = object.get(key)?;
    let is_other = !value.is_null() && !is_read(value);
    is_other.then_some(value)
}

/// The text of a resource that a result embeds.
fn text_of_resource(part: &Value) -> Option<String> {
    part.pointer("/resource/text")?.as_str().map(str::to_owned)
}

/// Adds the texts in a value.
fn leaves(value: &Value, texts: &mut Vec<String>) {
    let mut room = MAX_BESIDE;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => {
                let Some(rest) = room.checked_sub(text.len()) else {
                    return;
                };
                room = rest;
                texts.push(text.clone());
            }
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
}

/// The text of a part, if it is a text.
fn text_of(part: &Value) -> Option<&str> {
    let is_text = part.get("type").is_some_and(|kind| kind == "text");
    part.get("text").and_then(Value::as_str).filter(|_| is_text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_answers_what_is_structured_or_its_text_or_its_parts() {
        let (text, image) = (
            json!({ "type": "text", "text": "a" }),
            json!({ "type": "image", "data": "" }),
        );
        for (result, content) in [
            (
                json!({ "content": [text, text] }),
                ResultContent::Text("a\na".into()),
            ),
            (
                json!({ "content": [text], "structuredContent": { "b": 1 } }),
                ResultContent::Structured {
                    value: json!({ "b": 1 }),
                    text: Some("a".to_owned()),
                },
            ),
            (
                json!({ "content": [text, image] }),
                ResultContent::Json(json!([text, image])),
            ),
            (json!({ "content": [] }), ResultContent::Text("".into())),
        ] {
            assert_eq!(CallResult::read(result).expect("a result").content, content);
        }
        let failed = CallResult::read(json!({ "content": [text, image], "isError": true }))
            .expect("a result");
        assert_eq!((failed.text.as_str(), failed.is_error), ("a", true));
    }

    #[test]
    fn a_result_of_another_shape_is_an_error() {
        for (result, why) in [
            (json!([]), "the result of `tools/call` is not an object"),
            (
                json!({ "structuredContent": {} }),
                "the result of `tools/call` has no list `content`",
            ),
            (
                json!({ "content": [], "isError": 1 }),
                "the result of `tools/call` has an `isError` that is neither true nor false",
            ),
        ] {
            assert_eq!(CallResult::read(result).expect_err("wrong").message, why);
        }
        for (result, why) in [
            (
                json!({ "tools": {} }),
                "the result of `tools/list` has no list `tools`",
            ),
            (
                json!({ "tools": [], "nextCursor": 1 }),
                "the result of `tools/list` has a `nextCursor` that is not a text",
            ),
        ] {
            assert_eq!(
                ListPage::read(result, "tools/list", "tools")
                    .expect_err("wrong")
                    .message,
                why
            );
        }
        let why = "the result of `initialize` has no text `protocolVersion`";
        assert_eq!(chosen_version(json!({})).expect_err("wrong").message, why);
    }
}

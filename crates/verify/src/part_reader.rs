//! Reads the parts of messages, and accounts for the keys of an object that nothing reads.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::message_item::{MessageItem, first, inner_json, is_given, text_of};
use super::message_names::PartKind;
use super::message_reader::{MessageLevel, MessagePlace, MessageReader};
use ananke_trace::trace::{Facts, Unread};

impl MessageReader<'_> {
    /// The keys that are neither among `read` nor about the message itself: what is unread in them.
    pub(crate) fn account(
        &mut self,
        message: &Map<String, Value>,
        read: &[&Vec<String>],
        place: MessagePlace<'_>,
    ) {
        let names = self.names;
        let about = [
            &names.role,
            &names.part_type,
            &names.call_id,
            &names.name,
            &names.is_error,
            &names.status,
            &names.approval,
        ];
        let about: HashSet<&String> = about.into_iter().flatten().collect();
        let read: HashSet<&String> = read.iter().copied().flatten().collect();
        for (key, value) in message {
            if read.contains(key) && !about.contains(key) {
                continue;
            }
            let name = format!("key:{}", place.key(key));
            // An object around a message, or one that repeats it, may be anything if it is of another kind.
            let is_repeat = names.repeats.contains(key);
            let unread = if is_repeat && value.is_object() {
                None
            } else if is_repeat || names.wrappers.contains(key) {
                let inner = inner_json(value);
                let may_be_item = inner.is_array() || inner.is_object();
                let unread = may_be_item.then(|| Unread::item(name, &inner));
                unread.filter(|unread| unread.facts != Facts::NONE)
            } else {
                Unread::key(name, value)
            };
            if let Some(unread) = unread
                && !self.conventions.is_silent(&unread.name)
            {
                self.items.push(MessageItem::Unread(unread));
            }
        }
    }

    pub(crate) fn kind(&self, part: &Map<String, Value>) -> Option<PartKind> {
        let kind = first(part, &self.names.part_type).and_then(Value::as_str)?;
        self.names.part_kind(kind).map(|(kind, _)| kind)
    }

    /// Whether a list is one of parts, and not JSON that an agent says: every value is an object, and one of them is a part of a
    /// known form, or all are texts.
    pub(crate) fn are_parts(&self, value: &Value) -> bool {
        let mut parts = Vec::new();
        for part in value.as_array().into_iter().flatten() {
            let Some(part) = part.as_object() else {
                return false;
            };
            parts.push(part);
        }
        let names = self.names;
        let has = |part: &Map<String, Value>, keys: &[String]| {
            keys.iter().any(|key| part.contains_key(key))
        };
        let is_known = parts.iter().any(|part| {
            self.kind(part).is_some()
                || has(part, &names.calls)
                || has(part, &names.results)
                || part.len() == 1 && has(part, &names.reasoning)
        });
        let is_text = |part: &&Map<String, Value>| {
            part.len() == 1 && part.get("text").is_some_and(Value::is_string)
        };
        is_known || !parts.is_empty() && parts.iter().all(is_text)
    }

    /// Whether a list of parts has results in it, so that each of them is an answer of its own.
    pub(crate) fn has_results(&self, content: &Value) -> bool {
        let inner = content
            .as_str()
            .and_then(|text| self.inner_messages(text, MessageLevel::Part));
        let parts = inner
            .as_ref()
            .map_or(content, |inner| &inner.value)
            .as_array();
        let mut parts = parts.into_iter().flatten().filter_map(Value::as_object);
        parts.any(|part| {
            self.kind(part) == Some(PartKind::Result)
                || self.names.results.iter().any(|key| part.contains_key(key))
        })
    }

    pub(crate) fn reasoning(&mut self, part: &Map<String, Value>, place: MessagePlace<'_>) {
        let names = self.names;
        if let Some(text) = first(part, &names.text) {
            self.reasons(text, place);
        }
        self.account(part, &[&names.text], place);
    }

    /// Reads the texts of reasoning, however deep they are.
    pub(crate) fn reasons(&mut self, value: &Value, place: MessagePlace<'_>) {
        let Some(deeper) = place.deeper() else { return };
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.reasons(value, deeper)),
            Value::Object(object) => {
                let names = self.names;
                let inner =
                    first(object, &names.reasoning_parts).or_else(|| first(object, &names.text));
                if let Some(inner) = inner {
                    self.reasons(inner, deeper);
                }
            }
            value if is_given(value) => self.items.push(MessageItem::Reasons(text_of(value))),
            _ => {}
        }
    }

    /// The object without wrappers; what they have twice with different values is unread.
    pub(crate) fn unwrapped(
        &mut self,
        object: &Map<String, Value>,
        place: MessagePlace<'_>,
    ) -> Map<String, Value> {
        let mut lost = Vec::new();
        let flat = self.names.unwrapped(object, &mut lost);
        for (key, value) in lost {
            let value = json!({ key.as_str(): value });
            let unread = Unread::item(format!("key:{}", place.key(&key)), &value);
            if unread.facts != Facts::NONE {
                self.items.push(MessageItem::Unread(unread));
            }
        }
        flat
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conventions::Conventions;
    use crate::message_names::MessageSpeaker;
    use crate::message_reader::InnerMessages;
    use ananke_trace::trace::Fact;

    /// A value of each kind of JSON, and a text that is JSON.
    fn kinds() -> [(&'static str, Value); 6] {
        [
            ("object", json!({ "k": "mark" })),
            ("list", json!(["mark"])),
            ("text", json!("mark")),
            ("number", json!(7777)),
            ("boolean", json!(true)),
            ("JSON as text", json!(r#"{"k":"mark"}"#)),
        ]
    }

    /// The kinds of a key that contain no fact, and why.
    const WITHOUT_FACTS: &[(&str, &[&str], &str)] = &[
        (
            "status",
            &["text", "JSON as text"],
            "a status that says nothing of failures",
        ),
        ("approval", &["object"], "the user has not answered yet"),
    ];

    /// The message with `value` at `key`, which is one of `list`; complete but for that key.
    fn message(list: &str, key: &str, value: &Value) -> Value {
        let (whole, at) = match list {
            "role" => (json!({ "content": "x" }), ""),
            "content" | "refusal" | "transcript" | "reasoning" => {
                (json!({ "role": "assistant" }), "")
            }
            "calls" => (json!({ "role": "assistant", "content": "x" }), ""),
            "results" => (json!({ "role": "user", "content": "x" }), ""),
            "thought" => (
                json!({ "role": "model", "parts": [{ "text": "x" }] }),
                "/parts/0",
            ),
            "part_type" => (
                json!({ "role": "assistant", "parts": [{ "text": "x" }] }),
                "/parts/0",
            ),
            "text" => (
                json!({ "role": "assistant", "parts": [{ "type": "text" }] }),
                "/parts/0",
            ),
            "call_id" => (
                json!({ "type": "tool_call", "name": "pay", "arguments": "{}" }),
                "",
            ),
            "name" => (
                json!({ "type": "tool_call", "id": "c", "arguments": "{}" }),
                "",
            ),
            "arguments" => (json!({ "type": "tool_call", "id": "c", "name": "pay" }), ""),
            "result" => (json!({ "type": "tool_result", "tool_use_id": "c" }), ""),
            "is_error" | "status" => (
                json!({ "type": "tool_result", "tool_use_id": "c", "content": "done" }),
                "",
            ),
            "call_result" | "error" => (
                json!({ "type": "mcp_call", "id": "c", "name": "pay", "arguments": "{}" }),
                "",
            ),
            "approval" => (
                json!({ "type": "tool-pay", "toolCallId": "c", "input": {}, "state": "output-available", "output": "done" }),
                "",
            ),
            other => panic!("the list `{other}` has no message here"),
        };
        let mut whole = whole;
        let place = whole.pointer_mut(at).and_then(Value::as_object_mut);
        place.unwrap().insert(key.to_owned(), value.clone());
        whole
    }

    fn items(message: &Value) -> Vec<MessageItem> {
        let assistant = Some(MessageSpeaker::Assistant);
        Conventions::known().items(message, assistant, "messages", InnerMessages::Ignored)
    }

    /// Whether a fact is not shown, so that no rule passes that rests on it.
    fn has_gap(items: &[MessageItem]) -> bool {
        items.iter().any(|item| match item {
            MessageItem::Says(text) | MessageItem::Asks(text) => text.is_none(),
            MessageItem::Calls { name, args, .. } => name.is_none() || args.is_none(),
            MessageItem::Answers { result, end, .. } => result.is_none() || end.is_none(),
            MessageItem::Unread(_) => true,
            MessageItem::Instructs | MessageItem::Reasons(_) => false,
        })
    }

    #[test]
    fn every_key_with_every_kind_of_value_is_read_or_unread() {
        let names = &Conventions::known().messages;
        let lists: [(&str, &Vec<String>); 16] = [
            ("role", &names.role),
            ("content", &names.content),
            ("refusal", &names.refusal),
            ("transcript", &names.transcript),
            ("reasoning", &names.reasoning),
            ("calls", &names.calls),
            ("results", &names.results),
            ("thought", &names.thought),
            ("part_type", &names.part_type),
            ("text", &names.text),
            ("call_id", &names.call_id),
            ("name", &names.name),
            ("arguments", &names.arguments),
            ("result", &names.result),
            ("call_result", &names.call_result),
            ("error", &names.error),
        ];
        let ends = [
            ("is_error", &names.is_error),
            ("status", &names.status),
            ("approval", &names.approval),
        ];
        let mut vanished = Vec::new();
        let mut read = 0;
        for (list, keys) in lists.iter().chain(&ends) {
            for key in *keys {
                let without = items(&message(list, key, &Value::Null));
                for (kind, value) in kinds() {
                    let own = items(&message(list, key, &value));
                    let mut without_facts = WITHOUT_FACTS.iter();
                    let is_expected =
                        without_facts.any(|(own, kinds, _)| own == list && kinds.contains(&kind));
                    if (own == without && !has_gap(&own)) != is_expected {
                        vanished.push(format!("{list}: `{key}` as {kind}: {own:?}"));
                    }
                    read += 1;
                }
            }
        }
        assert!(vanished.is_empty(), "{}", vanished.join("\n"));
        assert!(read > 300, "{read}");
    }

    #[test]
    fn an_object_around_a_message_that_is_of_another_kind_is_unread() {
        let names = &Conventions::known().messages;
        let call = json!({ "role": "assistant", "tool_calls": [{ "id": "c", "name": "pay", "args": { "n": 1 } }] });
        let kinds = [
            json!([call]),
            json!(call.to_string()),
            json!([call].map(|call| call.to_string())),
        ];
        for key in names.wrappers.iter().chain(&names.repeats) {
            for value in &kinds {
                let message = json!({ "role": "assistant", "content": "x", key.as_str(): value });
                let own = items(&message);
                let calls = |item: &MessageItem| match item {
                    MessageItem::Calls { .. } => true,
                    MessageItem::Unread(unread) => unread.facts.has(Fact::Calls),
                    // The text of an answer is what it is.
                    MessageItem::Says(Some(text)) => {
                        names.content.contains(key) && text.contains("pay")
                    }
                    _ => false,
                };
                assert!(own.iter().any(calls), "{message}: {own:?}");
            }
        }
    }
}

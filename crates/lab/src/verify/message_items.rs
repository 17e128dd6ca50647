//! Reads messages as models and their instrumentations write them: roles, texts, parts, calls and results.
//!
//! Flows in: JSON. Flows out: items in their order. What the keys are called is data ([`MessageNames`]).

use serde_json::{Map, Value};

use super::conventions::{MessageNames, MessageSpeaker, PartKind};
use ananke_base::source::received_json;

/// How deep messages may be in lists and texts of JSON.
const DEEPEST: usize = 8;

/// One thing that a message says or does.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::verify) enum MessageItem {
    /// Instructions.
    Instructs,
    /// The user says something; `None` if it is not there.
    Asks(Option<String>),
    /// The agent says something; `None` if it is not there.
    Says(Option<String>),
    /// The agent reasons.
    Reasons(String),
    /// The agent calls a tool.
    Calls {
        /// The call's id.
        id: Option<String>,
        /// The tool's name.
        name: String,
        /// The text of its arguments; `None` if it is not there.
        args: Option<String>,
    },
    /// A call is answered.
    Answers {
        /// The call's id.
        id: Option<String>,
        /// The tool's name.
        name: Option<String>,
        /// The result; `None` if it is not there.
        result: Option<Value>,
        /// Whether it is an error, if the message says so.
        is_error: Option<bool>,
    },
}

/// The first of these keys that is there and not null.
pub(in crate::verify) fn first<'v>(
    object: &'v Map<String, Value>,
    names: &[String],
) -> Option<&'v Value> {
    names
        .iter()
        .filter_map(|name| object.get(name))
        .find(|value| !value.is_null())
}

/// A text as it is, any other value as JSON.
pub(in crate::verify) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

impl MessageNames {
    /// The items of a list of messages, of one message, or of either as a text of JSON. A message that has no role is one of
    /// `speaker`.
    pub(in crate::verify) fn items(
        &self,
        value: &Value,
        speaker: MessageSpeaker,
    ) -> Vec<MessageItem> {
        let mut items = Vec::new();
        self.add(value, speaker, DEEPEST, &mut items);
        items
    }

    fn add(
        &self,
        value: &Value,
        speaker: MessageSpeaker,
        depth: usize,
        items: &mut Vec<MessageItem>,
    ) {
        match value {
            _ if depth == 0 => {}
            Value::Array(messages) => {
                for message in messages {
                    self.add(message, speaker, depth - 1, items);
                }
            }
            Value::Object(message) => self.add_message(message, speaker, items),
            Value::String(text) => match received_json::read(text).map(|read| read.value) {
                Ok(inner @ (Value::Array(_) | Value::Object(_))) => {
                    self.add(&inner, speaker, depth - 1, items);
                }
                _ => items.push(said(speaker, Some(text.clone()))),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add_message(
        &self,
        message: &Map<String, Value>,
        speaker: MessageSpeaker,
        items: &mut Vec<MessageItem>,
    ) {
        let message = self.unwrapped(message);
        let role = first(&message, &self.role)
            .and_then(Value::as_str)
            .map(str::to_lowercase);
        let speaker = role
            .and_then(|role| self.roles.get(&role).copied())
            .unwrap_or(speaker);
        let kind = self.kind(&message);
        if matches!(
            kind,
            Some(PartKind::Call | PartKind::Result | PartKind::Reasoning)
        ) {
            return self.add_part(&message, speaker, items);
        }
        if let Some(Value::String(text)) = first(&message, &self.reasoning) {
            items.push(MessageItem::Reasons(text.clone()));
        }
        let content = first(&message, &self.content);
        let calls = first(&message, &self.calls).and_then(Value::as_array);
        if speaker == MessageSpeaker::Tool
            && !content.is_some_and(|content| self.has_results(content))
        {
            items.push(self.answer(&message, content.cloned()));
            return;
        }
        match content {
            Some(Value::Array(parts)) => parts.iter().for_each(|part| match part {
                Value::Object(part) => self.add_part(&self.unwrapped(part), speaker, items),
                part => items.push(said(speaker, Some(text_of(part)))),
            }),
            Some(content) => items.push(said(speaker, Some(text_of(content)))),
            None if first(&message, &self.refusal).is_none() && calls.is_none() => {
                items.push(said(speaker, None));
            }
            None => {}
        }
        if let Some(refusal) = first(&message, &self.refusal) {
            items.push(said(speaker, Some(text_of(refusal))));
        }
        for call in calls.into_iter().flatten().filter_map(Value::as_object) {
            items.push(self.call(&self.unwrapped(call)));
        }
    }

    fn kind(&self, part: &Map<String, Value>) -> Option<PartKind> {
        let kind = first(part, &self.part_type).and_then(Value::as_str)?;
        self.part_types.get(kind).copied()
    }

    /// Whether a list of parts has results in it, so that each of them is an answer of its own.
    fn has_results(&self, content: &Value) -> bool {
        let mut parts = content
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_object);
        parts.any(|part| self.kind(part) == Some(PartKind::Result))
    }

    fn add_part(
        &self,
        part: &Map<String, Value>,
        speaker: MessageSpeaker,
        items: &mut Vec<MessageItem>,
    ) {
        let text = || first(part, &self.text).map(text_of);
        match self.kind(part) {
            Some(PartKind::Call) => items.push(self.call(part)),
            Some(PartKind::Result) => {
                items.push(self.answer(part, first(part, &self.result).cloned()));
            }
            Some(PartKind::Reasoning) => items.extend(text().map(MessageItem::Reasons)),
            // A file, or what is not known: it is no text.
            None if first(part, &self.part_type).is_some() => {}
            Some(PartKind::Text) | None => items.push(said(speaker, text())),
        }
    }

    fn call(&self, call: &Map<String, Value>) -> MessageItem {
        MessageItem::Calls {
            id: first(call, &self.call_id).map(text_of),
            name: first(call, &self.name).map(text_of).unwrap_or_default(),
            args: first(call, &self.arguments).map(text_of),
        }
    }

    fn answer(&self, answer: &Map<String, Value>, result: Option<Value>) -> MessageItem {
        MessageItem::Answers {
            id: first(answer, &self.call_id).map(text_of),
            name: first(answer, &self.name).map(text_of),
            result,
            is_error: first(answer, &self.is_error).and_then(Value::as_bool),
        }
    }

    /// The same object with the keys of objects in it that mean nothing by themselves.
    fn unwrapped(&self, object: &Map<String, Value>) -> Map<String, Value> {
        let mut flat = object.clone();
        for _ in 0..self.wrappers.len() {
            for wrapper in &self.wrappers {
                if let Some(Value::Object(_)) = flat.get(wrapper)
                    && let Some(Value::Object(inner)) = flat.shift_remove(wrapper)
                {
                    for (key, value) in inner {
                        flat.entry(key).or_insert(value);
                    }
                }
            }
        }
        flat
    }
}

fn said(speaker: MessageSpeaker, text: Option<String>) -> MessageItem {
    match speaker {
        MessageSpeaker::User => MessageItem::Asks(text),
        MessageSpeaker::Assistant => MessageItem::Says(text),
        MessageSpeaker::System => MessageItem::Instructs,
        MessageSpeaker::Tool => MessageItem::Answers {
            id: None,
            name: None,
            result: text.map(Value::from),
            is_error: None,
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::conventions::Conventions;
    use super::*;

    /// The items of messages, on one line.
    fn items(value: &Value) -> String {
        let items = Conventions::known()
            .messages
            .items(value, MessageSpeaker::Assistant);
        let shown = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
        let words = items.into_iter().map(|item| match item {
            MessageItem::Instructs => "system".to_owned(),
            MessageItem::Asks(text) => format!("user {}", shown(text)),
            MessageItem::Says(text) => format!("says {}", shown(text)),
            MessageItem::Reasons(text) => format!("reasons {text}"),
            MessageItem::Calls { id, name, args } => {
                format!("calls {} {name}({})", shown(id), shown(args))
            }
            MessageItem::Answers {
                id,
                result,
                is_error,
                ..
            } => {
                let error = if is_error == Some(true) { "!" } else { "" };
                format!(
                    "answers {} {}{error}",
                    shown(id),
                    shown(result.as_ref().map(text_of))
                )
            }
        });
        words.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn messages_of_all_conventions_are_read() {
        for (messages, expected) in [
            // GenAI semantic conventions
            (
                json!([
                    { "role": "system", "parts": [{ "type": "text", "content": "Be kind." }] },
                    { "role": "user", "parts": [{ "type": "text", "content": "Hi" }, { "type": "blob", "data": "x" }] },
                    { "role": "assistant", "parts": [
                        { "type": "reasoning", "content": "Hm" }, { "type": "text", "content": "One moment" },
                        { "type": "tool_call", "id": "c", "name": "pay", "arguments": { "n": 1 } }
                    ] },
                    { "role": "tool", "parts": [{ "type": "tool_call_response", "id": "c", "response": { "ok": true } }] },
                ]),
                "system; user Hi; reasons Hm; says One moment; calls c pay({\"n\":1}); answers c {\"ok\":true}",
            ),
            // Without their contents
            (
                json!([{ "role": "user", "parts": [{ "type": "text" }] }, { "role": "assistant", "parts": [{ "type": "tool_call", "id": "c", "name": "pay" }] }]),
                "user ?; calls c pay(?)",
            ),
            // OpenAI
            (
                json!([
                    { "role": "assistant", "content": null, "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "pay", "arguments": "{}" } }] },
                    { "role": "tool", "tool_call_id": "c", "content": "done" },
                    { "role": "tool", "tool_call_id": "d", "content": [{ "type": "text", "text": "done" }] },
                    { "role": "assistant", "content": [{ "type": "text", "text": "Done" }] },
                    { "role": "assistant", "refusal": "No" },
                ]),
                "calls c pay({}); answers c done; answers d [{\"type\":\"text\",\"text\":\"done\"}]; says Done; says No",
            ),
            // OpenAI's responses
            (
                json!([
                    { "type": "function_call", "call_id": "c", "id": "fc", "name": "pay", "arguments": "{}" },
                    { "type": "function_call_output", "call_id": "c", "output": "done" },
                    { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Done" }] },
                ]),
                "calls c pay({}); answers c done; says Done",
            ),
            // Anthropic
            (
                json!([
                    { "role": "assistant", "content": [{ "type": "tool_use", "id": "c", "name": "pay", "input": {} }] },
                    { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": "no", "is_error": true }] },
                ]),
                "calls c pay({}); answers c no!",
            ),
            // Vercel
            (
                json!([{ "role": "assistant", "content": [{ "type": "tool-call", "toolCallId": "c", "toolName": "pay", "args": {} }] }]),
                "calls c pay({})",
            ),
            // OpenInference
            (
                json!([{ "message": { "role": "assistant", "tool_calls": [{ "tool_call": { "id": "c", "function": { "name": "pay", "arguments": "{}" } } }] } }]),
                "calls c pay({})",
            ),
            (json!("[{\"role\":\"user\",\"content\":\"Hi\"}]"), "user Hi"),
            (json!("Hi"), "says Hi"),
        ] {
            assert_eq!(items(&messages), expected, "{messages}");
        }
    }
}

//! Reads messages as models and their instrumentations write them: roles, texts, parts, calls and results.
//!
//! Flows in: JSON. Flows out: items in their order. What the keys are called is data ([`MessageNames`]). **Invariant:** every
//! key, part and role is read, on the silent list, or an item that is unread (SPEC 13).

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::conventions::Conventions;
use super::message_item::{MessageItem, first, text_of};
use super::message_names::{MessageNames, MessageSpeaker, PartKind};
use ananke_base::source::received_json;
use ananke_trace::trace::{Fact, Facts, Unread, is_same_json};

/// How deep messages may be in lists and texts of JSON.
const DEEPEST: usize = 8;

/// Where a value is that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// In a list of messages.
    Message,
    /// In a message.
    Part,
}

/// Whether a text may be the JSON of messages or parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::verify) enum InnerMessages {
    /// As attributes have them, which are texts.
    Read,
    /// A text is said as it is.
    Ignored,
}

/// Reads the messages of one list.
pub(in crate::verify) struct MessageReader<'n> {
    conventions: &'n Conventions,
    names: &'n MessageNames,
    inner: InnerMessages,
    items: Vec<MessageItem>,
}

/// What a message or a part has, apart from what it says.
#[derive(Clone, Copy)]
struct Place<'p> {
    path: &'p str,
    level: Level,
    depth: usize,
}

impl Place<'_> {
    fn key(self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }
}

impl Conventions {
    /// The items of a list of messages, of one message, or of either as a text of JSON, which is called `path` in the names of
    /// what is unread. A message that has no role is one of `speaker`; without one it is unread.
    pub(in crate::verify) fn items(
        &self,
        value: &Value,
        speaker: Option<MessageSpeaker>,
        path: &str,
        inner: InnerMessages,
    ) -> Vec<MessageItem> {
        let mut reader = MessageReader {
            conventions: self,
            names: &self.messages,
            inner,
            items: Vec::new(),
        };
        let (level, depth) = (Level::Message, DEEPEST);
        reader.value(value, speaker, Place { path, level, depth });
        reader.items
    }

    /// The items of a list of calls, which is called `path`.
    pub(in crate::verify) fn calls(&self, calls: &Value, path: &str) -> Vec<MessageItem> {
        let mut reader = MessageReader {
            conventions: self,
            names: &self.messages,
            inner: InnerMessages::Ignored,
            items: Vec::new(),
        };
        let place = Place {
            path,
            level: Level::Part,
            depth: DEEPEST,
        };
        reader.calls(calls, place, MessageReader::call);
        reader.items
    }
}

impl MessageReader<'_> {
    /// Reads a list, a message or a part, or a text.
    fn value(&mut self, value: &Value, speaker: Option<MessageSpeaker>, place: Place<'_>) {
        if place.depth == 0 {
            return self.unread("nested", value, speaker);
        }
        let deeper = Place {
            depth: place.depth - 1,
            ..place
        };
        match value {
            Value::Array(values) => {
                let path = format!("{}[]", place.path);
                let within = Place {
                    path: &path,
                    ..deeper
                };
                for value in values {
                    self.value(value, speaker, within);
                }
            }
            Value::Object(object) => self.object(object, speaker, deeper),
            Value::String(text) => match self.inner_messages(text, place.level) {
                Some(inner) => self.value(&inner, speaker, deeper),
                None => self.text(text.clone(), speaker),
            },
            Value::Null => {}
            other => self.text(other.to_string(), speaker),
        }
    }

    /// The messages or parts that a text is the JSON of.
    fn inner_messages(&self, text: &str, level: Level) -> Option<Value> {
        if self.inner == InnerMessages::Ignored || !text.trim_start().starts_with(['[', '{']) {
            return None;
        }
        let inner = received_json::read(text).ok()?.value;
        // What an agent says may be JSON: only parts are read in a message.
        let is_part = |value: &Value| {
            value.as_object().is_some_and(|part| {
                self.kind(part).is_some()
                    || self
                        .names
                        .calls
                        .iter()
                        .chain(&self.names.results)
                        .any(|key| part.contains_key(key))
                    || part.len() == 1 && part.get("text").is_some_and(Value::is_string)
            })
        };
        let is_meant = match &inner {
            Value::Array(parts) => {
                !parts.is_empty() && (level == Level::Message || parts.iter().all(is_part))
            }
            Value::Object(_) => level == Level::Message,
            _ => false,
        };
        Some(inner).filter(|_| is_meant)
    }

    fn text(&mut self, text: String, speaker: Option<MessageSpeaker>) {
        match speaker {
            Some(speaker) => self.items.push(said(speaker, Some(text))),
            None => self.unread("role:none", &json!({ "text": text }), None),
        }
    }

    /// Something that is not understood, unless it is on the silent list.
    fn unread(&mut self, name: &str, value: &Value, speaker: Option<MessageSpeaker>) {
        if self.conventions.is_silent(name) {
            return;
        }
        let mut unread = Unread::item(name.to_owned(), value);
        if matches!(speaker, Some(MessageSpeaker::User | MessageSpeaker::System)) {
            // What the agent did not say breaks no rule about its text.
            let text = Facts::of(&[Fact::Text]);
            let said = unread.facts.meets(text) && speaker == Some(MessageSpeaker::User);
            unread.facts = unread
                .facts
                .except(text)
                .with(said.then_some(Fact::UserText));
        }
        self.items.push(MessageItem::Unread(unread));
    }

    fn object(
        &mut self,
        object: &Map<String, Value>,
        default: Option<MessageSpeaker>,
        place: Place<'_>,
    ) {
        let message = self.unwrapped(object, place);
        let names = self.names;
        let role = first(&message, &names.role);
        let kind = first(&message, &names.part_type).and_then(Value::as_str);
        let of_role = |role: &str| names.roles.get(&*role.to_lowercase()).copied();
        let speaker = match role {
            Some(role) => {
                let role = role.as_str().unwrap_or_default();
                let Some(speaker) = of_role(role) else {
                    return self.unread(
                        &format!("role:{role}"),
                        &Value::Object(object.clone()),
                        None,
                    );
                };
                Some(speaker)
            }
            None => kind
                .filter(|_| place.level == Level::Message)
                .and_then(of_role)
                .or(default),
        };
        let is_role = place.level == Level::Message && kind.and_then(of_role).is_some();
        let known = self.kind(&message).filter(|_| !is_role);
        match known {
            Some(PartKind::Call) => return self.call(&message, place),
            Some(PartKind::Result) => return self.answer(&message, place),
            Some(PartKind::Reasoning) => return self.reasoning(&message, place),
            Some(PartKind::Text) | None => {}
        }
        let is_typed = kind.is_some() && !is_role;
        if known.is_none() && is_typed && (role.is_none() || place.level == Level::Part) {
            let what = if place.level == Level::Part {
                "part"
            } else {
                "type"
            };
            let name = format!("{what}:{}", kind.unwrap_or_default());
            return self.unread(&name, &Value::Object(object.clone()), speaker);
        }
        if place.level == Level::Part && known == Some(PartKind::Text) {
            let text = first(&message, &names.text);
            match text {
                Some(text @ (Value::Array(_) | Value::Object(_))) => {
                    self.value(text, speaker, place)
                }
                Some(text) => self.text(text_of(text), speaker),
                None => self
                    .items
                    .extend(speaker.map(|speaker| said(speaker, None))),
            }
            for (other, _) in others(&message, &names.text) {
                self.text(text_of(other), speaker);
            }
            return self.account(&message, &[&names.text], place);
        }
        self.message(&message, speaker, place);
    }

    /// Reads a message, or a part without a type.
    fn message(
        &mut self,
        message: &Map<String, Value>,
        speaker: Option<MessageSpeaker>,
        place: Place<'_>,
    ) {
        let names = self.names;
        let before = self.items.len();
        for key in &names.reasoning {
            if let Some(Value::String(text)) = message.get(key) {
                self.items.push(MessageItem::Reasons(text.clone()));
            }
        }
        let contents = || {
            names
                .content
                .iter()
                .filter_map(|key| Some((key, message.get(key)?)))
        };
        let is_thought = first(message, &names.thought) == Some(&Value::Bool(true));
        if speaker == Some(MessageSpeaker::Tool)
            && !contents().any(|(_, content)| self.has_results(content))
        {
            let content = contents()
                .map(|(_, content)| content)
                .find(|content| !content.is_null());
            self.items.push(self.answer_item(message, content.cloned()));
        } else {
            for (key, content) in contents().filter(|(_, content)| !content.is_null()) {
                let path = place.key(key);
                let within = Place {
                    path: &path,
                    level: Level::Part,
                    ..place
                };
                self.again(before, |reader| reader.value(content, speaker, within));
            }
        }
        if is_thought {
            for item in &mut self.items[before..] {
                if let MessageItem::Says(Some(text)) = item {
                    *item = MessageItem::Reasons(std::mem::take(text));
                }
            }
        }
        for refusal in names
            .refusal
            .iter()
            .filter_map(|key| message.get(key))
            .filter(|value| !value.is_null())
        {
            self.text(text_of(refusal), speaker);
        }
        for key in &names.calls {
            self.each(message, key, place, before, Self::call);
        }
        for key in &names.results {
            self.each(message, key, place, before, Self::answer);
        }
        for key in &names.repeats {
            if let Some(Value::Object(inner)) = message.get(key)
                && !inner.is_empty()
            {
                let path = place.key(key);
                let Some(depth) = place.depth.checked_sub(1) else {
                    self.unread(&format!("key:{path}"), &message[key], speaker);
                    continue;
                };
                let within = Place {
                    path: &path,
                    depth,
                    ..place
                };
                self.again(before, |reader| {
                    reader.message(inner, speaker, within);
                    reader.items.retain(|item| *item != MessageItem::Says(None));
                });
            }
        }
        let is_empty = self.items.len() == before;
        if is_empty && place.level == Level::Part {
            let key = message.keys().next().map_or("", String::as_str);
            return self.unread(
                &format!("part:{key}"),
                &Value::Object(message.clone()),
                speaker,
            );
        }
        if is_empty
            && let Some(speaker) = speaker
            && contents().all(|(_, content)| content.is_null())
        {
            self.items.push(said(speaker, None));
        }
        let read = [
            &names.content,
            &names.refusal,
            &names.calls,
            &names.results,
            &names.repeats,
        ];
        self.account(message, &read, place);
    }

    /// Reads the call or result, or the list of them, at `key`.
    fn each(
        &mut self,
        message: &Map<String, Value>,
        key: &str,
        place: Place<'_>,
        before: usize,
        read: fn(&mut Self, &Map<String, Value>, Place<'_>),
    ) {
        let Some(value) = message.get(key) else {
            return;
        };
        let path = place.key(key);
        let within = Place {
            path: &path,
            level: Level::Part,
            ..place
        };
        let inner = value
            .as_str()
            .and_then(|text| received_json::read(text).ok());
        let value = inner.as_ref().map_or(value, |inner| &inner.value);
        self.again(before, |reader| reader.calls(value, within, read));
    }

    /// Reads a call or a result, or a list of them.
    fn calls(
        &mut self,
        value: &Value,
        place: Place<'_>,
        read: fn(&mut Self, &Map<String, Value>, Place<'_>),
    ) {
        let values = match value {
            Value::Null => &[],
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        for value in values {
            match value {
                Value::Object(object) => {
                    let flat = self.unwrapped(object, place);
                    read(self, &flat, place);
                }
                other => self.unnamed(other),
            }
        }
    }

    /// A call of which nothing is known.
    fn unnamed(&mut self, value: &Value) {
        self.items.push(MessageItem::Calls {
            id: None,
            name: None,
            args: Some(text_of(value)),
        });
    }

    /// Adds the items that `read` finds, without those that the message has had since `before`.
    fn again(&mut self, before: usize, read: impl FnOnce(&mut Self)) {
        let known = self.items.split_off(before);
        read(self);
        let fresh = self.items.split_off(before);
        let is_known = |item: &MessageItem| known.iter().any(|known| known.is_same_fact(item));
        let fresh: Vec<_> = fresh.into_iter().filter(|item| !is_known(item)).collect();
        self.items.extend(known);
        self.items.extend(fresh);
    }

    /// The keys that are neither among `read` nor about the message itself: what is unread in them.
    fn account(&mut self, message: &Map<String, Value>, read: &[&Vec<String>], place: Place<'_>) {
        let names = self.names;
        let about = [
            &names.role,
            &names.part_type,
            &names.call_id,
            &names.name,
            &names.is_error,
            &names.status,
        ];
        let known: HashSet<&String> = read.iter().chain(&about).copied().flatten().collect();
        for (key, value) in message
            .iter()
            .filter(|(_, value)| value.is_array() || value.is_object())
        {
            if known.contains(key) && !about.iter().any(|names| names.contains(key)) {
                continue;
            }
            let name = format!("key:{}", place.key(key));
            if !self.conventions.is_silent(&name)
                && let Some(unread) = Unread::key(name, value)
            {
                self.items.push(MessageItem::Unread(unread));
            }
        }
    }

    fn kind(&self, part: &Map<String, Value>) -> Option<PartKind> {
        let kind = first(part, &self.names.part_type).and_then(Value::as_str)?;
        self.names.part_kind(kind).map(|(kind, _)| kind)
    }

    /// Whether a list of parts has results in it, so that each of them is an answer of its own.
    fn has_results(&self, content: &Value) -> bool {
        let inner = content
            .as_str()
            .and_then(|text| self.inner_messages(text, Level::Part));
        let parts = inner.as_ref().unwrap_or(content).as_array();
        let mut parts = parts.into_iter().flatten().filter_map(Value::as_object);
        parts.any(|part| {
            self.kind(part) == Some(PartKind::Result)
                || self.names.results.iter().any(|key| part.contains_key(key))
        })
    }

    fn reasoning(&mut self, part: &Map<String, Value>, place: Place<'_>) {
        let names = self.names;
        match first(part, &names.text) {
            Some(Value::Array(texts)) => {
                let texts = texts.iter().filter_map(|text| match text {
                    Value::Object(text) => first(text, &names.text).map(text_of),
                    other => Some(text_of(other)),
                });
                self.items.extend(texts.map(MessageItem::Reasons));
            }
            Some(text) => self.items.push(MessageItem::Reasons(text_of(text))),
            None => {}
        }
        self.account(part, &[&names.text], place);
    }

    fn call(&mut self, call: &Map<String, Value>, place: Place<'_>) {
        let names = self.names;
        let id = first(call, &names.call_id).map(text_of);
        let kind = first(call, &names.part_type).and_then(Value::as_str);
        let of_kind = || names.part_kind(kind?)?.1.map(Value::from);
        let given = first(call, &names.name).cloned().or_else(of_kind);
        let name = given
            .map(|name| text_of(&name))
            .filter(|name| !name.trim().is_empty());
        let args = first(call, &names.arguments);
        for (other, key) in others(call, &names.arguments) {
            let tool = name.clone().unwrap_or_default();
            let why = format!("`{key}` is different from other arguments of the call: {other}");
            self.items.push(MessageItem::Unread(
                Unread::arguments(tool, why).into_owned(),
            ));
        }
        for (other, key) in others(call, &names.name) {
            self.unread(
                &format!("key:{}", place.key(key)),
                &json!({ "name": other, "arguments": "" }),
                None,
            );
        }
        self.items.push(MessageItem::Calls {
            id: id.clone(),
            name: name.clone(),
            args: args.map(text_of),
        });
        let error = first(call, &names.error);
        let result = first(call, &names.call_result).or(error);
        if let Some(result) = result {
            let has_error = names.error.iter().any(|key| call.contains_key(key));
            let is_error = error
                .is_some()
                .then_some(true)
                .or_else(|| self.status(call));
            self.items.push(MessageItem::Answers {
                id,
                name,
                result: Some(self.conventions.unwrapped(result.clone())),
                is_error: is_error.or(has_error.then_some(false)),
            });
        }
        let read = [&names.arguments, &names.call_result, &names.error];
        self.account(call, &read, place);
    }

    fn answer(&mut self, answer: &Map<String, Value>, place: Place<'_>) {
        let names = self.names;
        let result = first(answer, &names.result).or_else(|| first(answer, &names.error));
        for (_, key) in others(answer, &names.result) {
            let id = first(answer, &names.call_id)
                .map(text_of)
                .unwrap_or_default();
            let why = format!("`{key}` is different from other results of the call");
            self.items
                .push(MessageItem::Unread(Unread::results(&id, why).into_owned()));
        }
        self.items.push(self.answer_item(answer, result.cloned()));
        self.account(answer, &[&names.result, &names.error], place);
    }

    fn answer_item(&self, answer: &Map<String, Value>, result: Option<Value>) -> MessageItem {
        let names = self.names;
        let is_error = first(answer, &names.is_error).and_then(Value::as_bool);
        MessageItem::Answers {
            id: first(answer, &names.call_id).map(text_of),
            name: first(answer, &names.name).map(text_of),
            result: result.map(|result| self.conventions.unwrapped(result)),
            is_error: is_error.or_else(|| self.status(answer)),
        }
    }

    /// Whether a call failed, if its status says so.
    fn status(&self, object: &Map<String, Value>) -> Option<bool> {
        let status = first(object, &self.names.status)?.as_str()?;
        self.names.statuses.get(status).copied()
    }

    /// The object without wrappers; what they have twice with different values is unread.
    fn unwrapped(&mut self, object: &Map<String, Value>, place: Place<'_>) -> Map<String, Value> {
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

/// The values of these keys that are different from the first that is there.
fn others<'v>(object: &'v Map<String, Value>, names: &'v [String]) -> Vec<(&'v Value, &'v str)> {
    let mut given = names.iter().filter_map(|name| {
        Some((
            object.get(name).filter(|value| !value.is_null())?,
            name.as_str(),
        ))
    });
    let Some((first, _)) = given.next() else {
        return Vec::new();
    };
    let json = |value: &Value| match value {
        Value::String(text) => {
            received_json::read(text).map_or_else(|_| value.clone(), |read| read.value)
        }
        value => value.clone(),
    };
    let first = json(first);
    given
        .filter(|(value, _)| !is_same_json(&json(value), &first))
        .collect()
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
        let assistant = Some(MessageSpeaker::Assistant);
        let items = Conventions::known().items(value, assistant, "messages", InnerMessages::Read);
        let shown = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
        let words = items.into_iter().map(|item| match item {
            MessageItem::Instructs => "system".to_owned(),
            MessageItem::Asks(text) => format!("user {}", shown(text)),
            MessageItem::Says(text) => format!("says {}", shown(text)),
            MessageItem::Reasons(text) => format!("reasons {text}"),
            MessageItem::Calls { id, name, args } => {
                format!("calls {} {}({})", shown(id), shown(name), shown(args))
            }
            MessageItem::Unread(unread) => format!("unread {}", unread.name),
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

    #[test]
    fn calls_of_many_forms_are_calls() {
        for (message, expected) in [
            // OpenAI: functions, custom tools, and what servers execute
            (
                json!({ "role": "assistant", "content": null, "function_call": { "name": "pay", "arguments": "{}" } }),
                "calls ? pay({})",
            ),
            (
                json!({ "role": "function", "name": "pay", "content": "done" }),
                "answers ? done",
            ),
            (
                json!({ "role": "assistant", "tool_calls": [{ "id": "c", "type": "custom", "custom": { "name": "pay", "input": "all" } }] }),
                "calls c pay(all)",
            ),
            (
                json!({ "type": "mcp_call", "id": "c", "name": "pay", "arguments": "{}", "output": "done", "error": null }),
                "calls c pay({}); answers c done",
            ),
            (
                json!({ "type": "mcp_call", "id": "c", "name": "pay", "arguments": "{}", "error": "no" }),
                "calls c pay({}); answers c no!",
            ),
            (
                json!({ "type": "web_search_call", "id": "c", "action": { "query": "x" } }),
                "calls c web_search({\"query\":\"x\"})",
            ),
            (
                json!({ "role": "assistant", "toolCalls": [{ "id": "c", "function": { "name": "pay", "arguments": "{}" } }] }),
                "calls c pay({})",
            ),
            // Anthropic
            (
                json!({ "role": "assistant", "content": [
                    { "type": "server_tool_use", "id": "c", "name": "bash", "input": {} },
                    { "type": "bash_code_execution_tool_result", "tool_use_id": "c", "content": { "stdout": "" } },
                ] }),
                "calls c bash({}); answers c {\"stdout\":\"\"}",
            ),
            // Gemini
            (
                json!({ "role": "model", "parts": [{ "functionCall": { "name": "pay", "args": {} } }] }),
                "calls ? pay({})",
            ),
            (
                json!({ "role": "user", "parts": [{ "functionResponse": { "name": "pay", "response": "done" } }] }),
                "answers ? done",
            ),
            (
                json!({ "role": "model", "parts": [{ "text": "Hm", "thought": true }, { "text": "Done" }] }),
                "reasons Hm; says Done",
            ),
            // Amazon Bedrock
            (
                json!({ "role": "assistant", "content": [{ "toolUse": { "toolUseId": "c", "name": "pay", "input": {} } }] }),
                "calls c pay({})",
            ),
            (
                json!({ "role": "user", "content": [{ "toolResult": { "toolUseId": "c", "status": "error", "content": "no" } }] }),
                "answers c no!",
            ),
            // LangChain
            (
                json!({ "type": "ai", "data": { "type": "ai", "content": "", "tool_calls": [{ "name": "pay", "args": {}, "id": "c" }],
                    "additional_kwargs": { "tool_calls": [{ "id": "c", "function": { "name": "pay", "arguments": "{}" } }] } } }),
                "says ; calls c pay({})",
            ),
            (
                json!({ "type": "ai", "content": "", "additional_kwargs": { "function_call": { "name": "pay", "arguments": "{}" } } }),
                "says ; calls ? pay({})",
            ),
            (
                json!({ "type": "tool", "data": { "content": "done", "tool_call_id": "c" } }),
                "answers c done",
            ),
            // AI SDK
            (
                json!({ "role": "assistant", "parts": [
                    { "type": "step-start" },
                    { "type": "tool-pay", "toolCallId": "c", "state": "output-available", "input": {}, "output": "done" },
                    { "type": "dynamic-tool", "toolName": "pay", "toolCallId": "d", "state": "output-error", "input": {}, "errorText": "no" },
                    { "type": "tool-invocation", "toolInvocation": { "toolCallId": "e", "toolName": "pay", "args": {}, "state": "call" } },
                ] }),
                "calls c pay({}); answers c done; calls d pay({}); answers d no!; calls e pay({})",
            ),
            // Content as a text of JSON, as attributes have it
            (
                json!({ "role": "assistant", "content": r#"[{"type":"function","id":"c","function":{"name":"pay","arguments":"{}"}}]"# }),
                "calls c pay({})",
            ),
            (
                json!({ "role": "assistant", "content": r#"[{"total":7}]"# }),
                "says [{\"total\":7}]",
            ),
        ] {
            assert_eq!(items(&message), expected, "{message}");
        }
    }

    #[test]
    fn what_is_not_understood_is_unread() {
        let call = json!({ "name": "pay", "arguments": {} });
        for (message, expected) in [
            (json!({ "role": "bot", "content": "x" }), "unread role:bot"),
            (
                json!({ "type": "future", "content": "x" }),
                "unread type:future",
            ),
            (
                json!({ "role": "assistant", "content": [{ "type": "future", "text": "x" }] }),
                "unread part:future",
            ),
            (
                json!({ "role": "assistant", "content": [{ "future": call }] }),
                "unread part:future",
            ),
            (
                json!({ "role": "assistant", "content": "x", "future": call }),
                "says x; unread key:messages.future",
            ),
            (
                json!([{ "role": "assistant", "content": "x", "future": [{ "a": call }] }]),
                "says x; unread key:messages[].future",
            ),
            (
                json!({ "role": "assistant", "content": [{ "type": "text", "text": "x", "future": call }] }),
                "says x; unread key:messages.content[].future",
            ),
            (
                json!({ "role": "assistant", "content": "x", "message": { "content": "y" } }),
                "unread key:messages.content; says x",
            ),
            (
                json!({ "type": "tool_call", "id": "c", "name": "pay", "arguments": "{}", "input": { "all": 1 } }),
                "unread arguments:pay; calls c pay({})",
            ),
            (
                json!({ "type": "tool_call", "id": "c", "name": "look", "tool_name": "pay" }),
                "unread key:messages.tool_name; calls c look(?)",
            ),
            (
                json!({ "role": "assistant", "tool_calls": ["pay"] }),
                "calls ? ?(pay)",
            ),
            (
                json!({ "role": "assistant", "tool_calls": [{ "id": "c", "function": { "arguments": "{}" } }] }),
                "calls c ?({})",
            ),
        ] {
            assert_eq!(items(&message), expected, "{message}");
        }
    }

    #[test]
    fn what_no_rule_is_about_is_skipped() {
        for (message, expected) in [
            (
                json!({ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "x" } }] }),
                "",
            ),
            (
                json!({ "role": "assistant", "content": "x", "x_vendor": { "score": 1, "note": "call me" } }),
                "says x",
            ),
            (
                json!({ "role": "assistant", "content": "x", "metadata": { "name": "pay", "input": 1 } }),
                "says x",
            ),
            (
                json!({ "type": "mcp_list_tools", "tools": [{ "name": "pay", "input": 1 }] }),
                "",
            ),
            (
                json!({ "role": "assistant", "parts": [{ "type": "data-progress", "data": { "text": "x" } }, { "type": "text", "text": "x" }] }),
                "says x",
            ),
        ] {
            assert_eq!(items(&message), expected, "{message}");
        }
    }
}

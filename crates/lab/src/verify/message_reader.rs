//! Reads messages as models and their instrumentations write them: roles, texts, parts, calls and results.
//!
//! Flows in: JSON. Flows out: items in their order. What the keys are called is data ([`MessageNames`]). **Invariant:** every
//! key, part and role is read, on the silent list, or an item that is unread (SPEC 13).

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::conventions::Conventions;
use super::message_item::{MessageItem, first, others, text_of};
use super::message_names::{MessageNames, MessageSpeaker, PartKind};
use ananke_base::source::received_json::{self, ReceivedJson};
use ananke_trace::trace::{Fact, Facts, Unread};

/// The largest depth of messages in lists and texts of JSON.
const DEEPEST: usize = 8;

/// The level of a value that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MessageLevel {
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
    pub(in crate::verify) conventions: &'n Conventions,
    pub(in crate::verify) names: &'n MessageNames,
    inner: InnerMessages,
    pub(in crate::verify) items: Vec<MessageItem>,
}

/// The fields of a message or a part, apart from its content.
#[derive(Clone, Copy)]
pub(in crate::verify) struct MessagePlace<'p> {
    path: &'p str,
    level: MessageLevel,
    depth: usize,
}

impl MessagePlace<'_> {
    /// The name of a key in it.
    pub(in crate::verify) fn key(self, key: &str) -> String {
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
        let (level, depth) = (MessageLevel::Message, DEEPEST);
        reader.value(value, speaker, MessagePlace { path, level, depth });
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
        let place = MessagePlace {
            path,
            level: MessageLevel::Part,
            depth: DEEPEST,
        };
        reader.calls(calls, place, MessageReader::call);
        reader.items
    }
}

impl MessageReader<'_> {
    /// Reads a list, a message or a part, or a text.
    fn value(&mut self, value: &Value, speaker: Option<MessageSpeaker>, place: MessagePlace<'_>) {
        if place.depth == 0 {
            return self.unread("nested", value, speaker);
        }
        let deeper = MessagePlace {
            depth: place.depth - 1,
            ..place
        };
        match value {
            Value::Array(values) => {
                let path = format!("{}[]", place.path);
                let within = MessagePlace {
                    path: &path,
                    ..deeper
                };
                for value in values {
                    self.value(value, speaker, within);
                }
            }
            Value::Object(object) => self.object(object, speaker, deeper),
            Value::String(text) => match self.inner_messages(text, place.level) {
                Some(inner) => {
                    self.duplicates(&inner, place);
                    self.value(&inner.value, speaker, deeper);
                }
                None => self.text(text.clone(), speaker),
            },
            Value::Null => {}
            other => self.text(other.to_string(), speaker),
        }
    }

    /// The messages or parts that a text is the JSON of.
    fn inner_messages(&self, text: &str, level: MessageLevel) -> Option<ReceivedJson> {
        if self.inner == InnerMessages::Ignored || !text.trim_start().starts_with(['[', '{']) {
            return None;
        }
        let inner = received_json::read(text).ok()?;
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
        let is_meant = match &inner.value {
            Value::Array(parts) => {
                !parts.is_empty() && (level == MessageLevel::Message || parts.iter().all(is_part))
            }
            Value::Object(_) => level == MessageLevel::Message,
            _ => false,
        };
        Some(inner).filter(|_| is_meant)
    }

    /// A key that is duplicated in the JSON of a text with another value.
    fn duplicates(&mut self, inner: &ReceivedJson, place: MessagePlace<'_>) {
        let key = inner.oddities.duplicate_key.as_deref();
        let unread = key.map(|key| Unread::duplicate_key(&place.key(key), Facts::ALL));
        self.items.extend(unread.map(MessageItem::Unread));
    }

    fn text(&mut self, text: String, speaker: Option<MessageSpeaker>) {
        match speaker {
            Some(speaker) => self.items.push(said(speaker, Some(text))),
            None => self.unread("role:none", &json!({ "text": text }), None),
        }
    }

    /// Something that is not understood, unless it is on the silent list.
    pub(in crate::verify) fn unread(
        &mut self,
        name: &str,
        value: &Value,
        speaker: Option<MessageSpeaker>,
    ) {
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
        place: MessagePlace<'_>,
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
                .filter(|_| place.level == MessageLevel::Message)
                .and_then(of_role)
                .or(default),
        };
        let is_role = place.level == MessageLevel::Message && kind.and_then(of_role).is_some();
        let known = self.kind(&message).filter(|_| !is_role);
        match known {
            Some(PartKind::Call) => return self.call(&message, place),
            Some(PartKind::Result) => return self.answer(&message, place),
            Some(PartKind::Reasoning) => return self.reasoning(&message, place),
            Some(PartKind::Text) | None => {}
        }
        let is_typed = kind.is_some() && !is_role;
        if known.is_none() && is_typed && (role.is_none() || place.level == MessageLevel::Part) {
            let what = if place.level == MessageLevel::Part {
                "part"
            } else {
                "type"
            };
            if let Some(Value::String(transcript)) = first(&message, &names.transcript) {
                return self.text(transcript.clone(), speaker);
            }
            let name = format!("{what}:{}", kind.unwrap_or_default());
            return self.unread(&name, &Value::Object(object.clone()), speaker);
        }
        if place.level == MessageLevel::Part && known == Some(PartKind::Text) {
            return self.text_part(&message, speaker, place);
        }
        self.message(&message, speaker, place);
    }

    /// Reads a part that is text.
    fn text_part(
        &mut self,
        part: &Map<String, Value>,
        speaker: Option<MessageSpeaker>,
        place: MessagePlace<'_>,
    ) {
        let names = self.names;
        match first(part, &names.text) {
            Some(text @ (Value::Array(_) | Value::Object(_))) => self.value(text, speaker, place),
            Some(text) => self.text(text_of(text), speaker),
            None => {
                let said = speaker.map(|speaker| said(speaker, None));
                self.items.extend(said);
            }
        }
        for (other, _) in others(part, &names.text) {
            self.text(text_of(other), speaker);
        }
        self.account(part, &[&names.text], place);
    }

    /// Reads a message, or a part without a type.
    fn message(
        &mut self,
        message: &Map<String, Value>,
        speaker: Option<MessageSpeaker>,
        place: MessagePlace<'_>,
    ) {
        let names = self.names;
        let before = self.items.len();
        for key in &names.reasoning {
            if let Some(Value::String(text)) = message.get(key) {
                self.items.push(MessageItem::Reasons(text.clone()));
            }
        }
        self.contents(message, speaker, place, before);
        for text in names
            .refusal
            .iter()
            .chain(&names.transcript)
            .filter_map(|key| message.get(key))
            .filter(|value| !value.is_null())
        {
            self.text(text_of(text), speaker);
        }
        for key in &names.calls {
            self.each(message, key, place, before, Self::call);
        }
        for key in &names.results {
            self.each(message, key, place, before, Self::answer);
        }
        self.repeats(message, speaker, place, before);
        let is_empty = self.items.len() == before;
        if is_empty && place.level == MessageLevel::Part {
            let key = message.keys().next().map_or("", String::as_str);
            return self.unread(
                &format!("part:{key}"),
                &Value::Object(message.clone()),
                speaker,
            );
        }
        if is_empty
            && let Some(speaker) = speaker
            && names
                .content
                .iter()
                .all(|key| message.get(key).is_none_or(Value::is_null))
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

    /// Reads what a message says, or the result that it is.
    fn contents(
        &mut self,
        message: &Map<String, Value>,
        speaker: Option<MessageSpeaker>,
        place: MessagePlace<'_>,
        before: usize,
    ) {
        let names = self.names;
        let contents = || {
            let given = |key| Some((key, message.get(key)?));
            names.content.iter().filter_map(given)
        };
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
                let within = MessagePlace {
                    path: &path,
                    level: MessageLevel::Part,
                    ..place
                };
                self.again(before, |reader| reader.value(content, speaker, within));
            }
        }
        if first(message, &names.thought) == Some(&Value::Bool(true)) {
            for item in &mut self.items[before..] {
                if let MessageItem::Says(Some(text)) = item {
                    *item = MessageItem::Reasons(std::mem::take(text));
                }
            }
        }
    }

    /// Reads the objects in a message that repeat it in another form.
    fn repeats(
        &mut self,
        message: &Map<String, Value>,
        speaker: Option<MessageSpeaker>,
        place: MessagePlace<'_>,
        before: usize,
    ) {
        let names = self.names;
        for key in &names.repeats {
            if let Some(Value::Object(inner)) = message.get(key)
                && !inner.is_empty()
            {
                let path = place.key(key);
                let Some(depth) = place.depth.checked_sub(1) else {
                    self.unread(&format!("key:{path}"), &message[key], speaker);
                    continue;
                };
                let within = MessagePlace {
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
    }

    /// Reads the call or result, or the list of them, at `key`.
    fn each(
        &mut self,
        message: &Map<String, Value>,
        key: &str,
        place: MessagePlace<'_>,
        before: usize,
        read: fn(&mut Self, &Map<String, Value>, MessagePlace<'_>),
    ) {
        let Some(value) = message.get(key) else {
            return;
        };
        let path = place.key(key);
        let within = MessagePlace {
            path: &path,
            level: MessageLevel::Part,
            ..place
        };
        let inner = value
            .as_str()
            .and_then(|text| received_json::read(text).ok());
        if let Some(inner) = &inner {
            self.duplicates(inner, within);
        }
        let value = inner.as_ref().map_or(value, |inner| &inner.value);
        self.again(before, |reader| reader.calls(value, within, read));
    }

    /// Reads a call or a result, or a list of them.
    fn calls(
        &mut self,
        value: &Value,
        place: MessagePlace<'_>,
        read: fn(&mut Self, &Map<String, Value>, MessagePlace<'_>),
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
    pub(in crate::verify) fn account(
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

    fn reasoning(&mut self, part: &Map<String, Value>, place: MessagePlace<'_>) {
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

    /// The object without wrappers; what they have twice with different values is unread.
    fn unwrapped(
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
mod tests;

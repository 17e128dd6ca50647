//! Reads messages as models and their instrumentations write them: roles, texts, parts, calls and results.
//!
//! Flows in: JSON. Flows out: items in their order. What the keys are called is data ([`MessageNames`]). **Invariant:** every
//! key, part and role is read, on the silent list, or an item that is unread (SPEC 13).

use serde_json::{Map, Value, json};

use super::conventions::Conventions;
use super::message_item::{MessageItem, first, is_given, others, text_of};
use super::message_names::{FailureMarks, MessageNames, MessageSpeaker, PartKind};
use super::same_facts::merge;
use ananke_base::source::received_json::{self, ReceivedJson};
use ananke_trace::trace::{Fact, Facts, Unread};

/// The largest depth of messages in lists and texts of JSON.
const DEEPEST: usize = 8;

/// The level of a value that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageLevel {
    /// In a list of messages.
    Message,
    /// In a message.
    Part,
}

/// Whether a text may be the JSON of messages or parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum InnerMessages {
    /// As attributes have them, which are texts.
    Read,
    /// A text is said as it is.
    Ignored,
}

/// Reads the messages of one list.
pub(crate) struct MessageReader<'n> {
    pub(crate) conventions: &'n Conventions,
    pub(crate) names: &'n MessageNames,
    pub(crate) inner: InnerMessages,
    pub(crate) items: Vec<MessageItem>,
}

/// The fields of a message or a part, apart from its content.
#[derive(Clone, Copy)]
pub(crate) struct MessagePlace<'p> {
    pub(crate) path: &'p str,
    level: MessageLevel,
    depth: usize,
}

impl MessagePlace<'_> {
    /// The name of a key in it.
    pub(crate) fn key(self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    /// The place of a value in it; `None` if that is too deep.
    pub(crate) fn deeper(self) -> Option<Self> {
        let depth = self.depth.checked_sub(1)?;
        Some(Self { depth, ..self })
    }
}

impl Conventions {
    /// The items of a list of messages, of one message, or of either as a text of JSON, which is called `path` in the names of
    /// what is unread. A message that has no role is one of `speaker`; without one it is unread.
    pub(crate) fn items(
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
    pub(crate) fn calls(&self, calls: &Value, path: &str) -> Vec<MessageItem> {
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
        reader.calls(calls, place, PartKind::Call);
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
    pub(crate) fn inner_messages(&self, text: &str, level: MessageLevel) -> Option<ReceivedJson> {
        if self.inner == InnerMessages::Ignored || !text.trim_start().starts_with(['[', '{']) {
            return None;
        }
        let inner = received_json::read(text).ok()?;
        let is_meant = match &inner.value {
            Value::Array(_) if level == MessageLevel::Part => self.are_parts(&inner.value),
            Value::Array(parts) => !parts.is_empty(),
            Value::Object(_) => level == MessageLevel::Message,
            _ => false,
        };
        Some(inner).filter(|_| is_meant)
    }

    /// A key that is duplicated in the JSON of a text with another value.
    fn duplicates(&mut self, inner: &ReceivedJson, place: MessagePlace<'_>) {
        let key = inner.oddities.duplicate_key.as_deref();
        let unread = key.map(|key| Unread::duplicate_key(&place.key(key), Facts::OF_AGENT));
        self.items.extend(unread.map(MessageItem::Unread));
    }

    fn text(&mut self, text: String, speaker: Option<MessageSpeaker>) {
        if self.conventions.is_placeholder(&text) {
            self.items
                .extend(speaker.map(|speaker| said(speaker, None)));
            return;
        }
        match speaker {
            Some(speaker) => self.items.push(said(speaker, Some(text))),
            None => self.unread("role:none", &json!({ "text": text }), None),
        }
    }

    /// Something that is not understood, unless it is on the silent list.
    pub(crate) fn unread(&mut self, name: &str, value: &Value, speaker: Option<MessageSpeaker>) {
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
        if let Some(other) = first(&message, &names.part_type).filter(|kind| !kind.is_string()) {
            let name = format!("part:{other}");
            return self.unread(&name, &Value::Object(object.clone()), speaker);
        }
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
            if let Some(reasoning) = message.get(key) {
                self.reasons(reasoning, place);
            }
        }
        self.contents(message, speaker, place, before);
        for text in names
            .refusal
            .iter()
            .chain(&names.transcript)
            .filter_map(|key| message.get(key))
            .filter(|value| is_given(value))
        {
            self.text(text_of(text), speaker);
        }
        for key in &names.calls {
            self.each(message, key, place, before, PartKind::Call);
        }
        for key in &names.results {
            self.each(message, key, place, before, PartKind::Result);
        }
        self.repeats(message, speaker, place, before);
        let is_empty = self.items.len() == before;
        if is_empty && place.level == MessageLevel::Part {
            let key = message.keys().next().map_or("", String::as_str);
            if names.reasoning.iter().any(|own| own == key) {
                // Reasoning that is encrypted.
                return;
            }
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
                .all(|key| !message.get(key).is_some_and(is_given))
        {
            self.items.push(said(speaker, None));
        }
        let read = [
            &names.content,
            &names.refusal,
            &names.transcript,
            &names.reasoning,
            &names.calls,
            &names.results,
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
                .find(|content| is_given(content));
            // A part that is the result has no content of its own.
            if content.is_some() || place.level == MessageLevel::Message {
                self.answers(message, content.cloned(), FailureMarks::Optional, place);
            }
        } else {
            for (key, content) in contents().filter(|(_, content)| is_given(content)) {
                let path = place.key(key);
                let within = MessagePlace {
                    path: &path,
                    level: MessageLevel::Part,
                    ..place
                };
                self.again(before, |reader| reader.value(content, speaker, within));
            }
        }
        let Some(thought) =
            first(message, &names.thought).filter(|thought| **thought != Value::Bool(false))
        else {
            return;
        };
        for item in &mut self.items[before..] {
            let MessageItem::Says(Some(text)) = item else {
                continue;
            };
            *item = if *thought == Value::Bool(true) {
                MessageItem::Reasons(std::mem::take(text))
            } else {
                // Nothing says whether it is reasoning.
                let name = "part:reasoning".to_owned();
                MessageItem::Unread(Unread::item(name, &json!({ "text": &*text })))
            };
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
        kind: PartKind,
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
        self.again(before, |reader| reader.calls(value, within, kind));
    }

    /// Reads a call or a result, or a list of them.
    fn calls(&mut self, value: &Value, place: MessagePlace<'_>, kind: PartKind) {
        let values = match value {
            Value::Null => &[],
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        for value in values {
            match value {
                Value::Object(object) => {
                    let flat = self.unwrapped(object, place);
                    if kind == PartKind::Call {
                        self.call(&flat, place);
                    } else {
                        self.answer(&flat, place);
                    }
                }
                other if kind == PartKind::Call => self.items.push(MessageItem::Calls {
                    id: None,
                    name: None,
                    args: Some(text_of(other)),
                }),
                other => {
                    let why = format!("a result is no object: {other}");
                    let unread = Unread::results("", why).into_owned();
                    self.items.push(MessageItem::Unread(unread));
                }
            }
        }
    }

    /// Adds the items that `read` finds to those that the message has had since `before`: what both have is one item.
    fn again(&mut self, before: usize, read: impl FnOnce(&mut Self)) {
        let mut known = self.items.split_off(before);
        read(self);
        let fresh = self.items.split_off(before);
        let left = merge(&mut known, fresh);
        self.items.extend(known);
        self.items.extend(left);
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
            end: None,
        },
    }
}

#[cfg(test)]
mod tests;

//! One event as it was sent: borrowed, flat, and not yet decoded.
//!
//! Every field is a raw slice until it is read. So a large value that is never read costs nothing, and an odd field fails
//! only the events that need it.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::warnings::Warnings;
use ananke_base::source::received_json::{self, JsonError, ReceivedJson, SentText, sent_text};
use ananke_base::text::is_spelled_alike;
use ananke_trace::trace::{may_hold_call, read_json};

/// Keys under which events and protocols carry what they say.
const PAYLOAD_WORDS: [&str; 9] = [
    "delta",
    "content",
    "text",
    "args",
    "arguments",
    "input",
    "parameters",
    "result",
    "output",
];

/// Each key with its name in the protocol, and the name it has from a server that does not convert its own, if that is another.
macro_rules! keys {
    ($($key:ident $name:literal $($converted:literal)?,)*) => {
        /// A field that means something to this client.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum FieldKey { $($key,)* }

        impl FieldKey {
            const ALL: &[Self] = &[$(Self::$key,)*];

            pub(super) fn name(self) -> &'static str {
                match self { $(Self::$key => $name,)* }
            }

            /// The name that it has from a server that does not convert its own.
            pub(super) fn converted_name(self) -> &'static str {
                match self { $(Self::$key => concat!($($converted)?),)* }
            }

            /// The key with this name in the protocol, or the name that it has from a server that does not convert its own.
            pub(super) fn named(name: &str) -> Option<Self> {
                match name {
                    $($name $(| $converted)? => Some(Self::$key),)*
                    _ => None,
                }
            }
        }
    };
}

keys! {
    Type "type",
    Code "code",
    Content "content",
    Delta "delta",
    EncryptedValue "encryptedValue" "encrypted_value",
    EntityId "entityId" "entity_id",
    Error "error",
    Input "input",
    Message "message",
    MessageId "messageId" "message_id",
    Messages "messages",
    Metadata "metadata",
    Name "name",
    Outcome "outcome",
    ParentMessageId "parentMessageId" "parent_message_id",
    ParentSubagentRunId "parentSubagentRunId" "parent_subagent_run_id",
    ProtocolVersion "protocolVersion" "protocol_version",
    RawEvent "rawEvent" "raw_event",
    Replace "replace",
    Result "result",
    Role "role",
    RunId "runId" "run_id",
    Snapshot "snapshot",
    StepName "stepName" "step_name",
    SubagentRunId "subagentRunId" "subagent_run_id",
    Subtype "subtype",
    ThreadId "threadId" "thread_id",
    Timestamp "timestamp",
    ToolCallId "toolCallId" "tool_call_id",
    ToolCallName "toolCallName" "tool_call_name",
    Usage "usage",
    Value "value",
}

/// The number of fields that all but a few events have at most.
const MOST_FIELDS: usize = 6;

/// The reason that an event cannot be decoded; the text follows `event 3 `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DecodeError(pub(super) String);

/// An event: its type and its fields as raw JSON.
#[derive(Debug)]
pub(super) struct WireEvent<'a> {
    kind: Cow<'a, str>,
    text: &'a str,
    fields: RawFields<'a>,
}

#[derive(Debug, Default)]
struct RawFields<'a> {
    /// The value of each key that it has: an event has few of them, and is moved several times.
    values: Vec<(FieldKey, &'a RawValue)>,
    /// The keys that are duplicated with another value.
    duplicates: Vec<FieldKey>,
    /// The first key that has the name that servers have for it which do not convert their own.
    converted: Option<FieldKey>,
    /// Whether a value is an object or a list: in most events none is.
    has_structure: bool,
    /// The objects and lists under keys that have no meaning.
    meaningless: Vec<&'a RawValue>,
}

impl<'a> WireEvent<'a> {
    /// Reads the outline of an event.
    pub(super) fn parse(text: &'a str, warnings: &mut Warnings) -> Result<Self, DecodeError> {
        let fields: RawFields<'a> = match serde_json::from_str(text) {
            Ok(fields) => fields,
            Err(_)
                if serde_json::from_str::<&RawValue>(text)
                    .is_ok_and(|raw| !raw.get().starts_with('{')) =>
            {
                return Err(DecodeError("is not a JSON object".to_owned()));
            }
            Err(failure) => return Err(DecodeError(format!("is not valid JSON ({failure})"))),
        };
        let kind = match fields.value(FieldKey::Type) {
            Some(raw) if raw.get().starts_with('"') => whole(raw, warnings),
            Some(_) => return Err(DecodeError("has a `type` that is not a string".to_owned())),
            None => return Err(DecodeError("has no `type`".to_owned())),
        };
        if let Some(key) = fields.converted {
            warnings.add_converted(key.converted_name(), key.name());
        }
        Ok(Self { kind, text, fields })
    }

    /// The keys that carry what an event says in other events and protocols, each with its value; none if the event has `payload`.
    ///
    /// # Errors
    /// If the event nests too deeply to find them.
    pub(super) fn misnamed_payload(
        &self,
        payload: FieldKey,
        reads: impl Fn(FieldKey) -> bool,
    ) -> Result<Vec<(String, Value)>, JsonError> {
        if self.raw(payload).is_some() {
            return Ok(Vec::new());
        }
        let is_payload = |name: &str, value: &Value| {
            let is_empty = matches!(value, Value::Null) || value == "";
            let is_alike = |word: &&str| is_spelled_alike(word, name);
            let is_read = FieldKey::named(name).is_some_and(&reads);
            !is_empty && !is_read && PAYLOAD_WORDS.iter().any(is_alike)
        };
        let keys = self.meanings()?.into_iter().flat_map(|whole| match whole {
            Value::Object(keys) => keys,
            _ => Map::new(),
        });
        Ok(keys
            .filter(|(name, value)| is_payload(name, value))
            .collect())
    }

    /// The keys whose values may be a call, apart from those that `reads` says are read, each with its value.
    ///
    /// # Errors
    /// If the event nests too deeply to find them.
    pub(super) fn unread_keys(
        &self,
        reads: impl Fn(FieldKey) -> bool,
    ) -> Result<Vec<(String, Value)>, JsonError> {
        if !self.fields.has_structure {
            return Ok(Vec::new());
        }
        let of_others = FieldKey::ALL.iter().filter(|key| !reads(**key));
        let of_others = of_others.filter_map(|key| self.raw(*key));
        let may_be_unread = self
            .fields
            .meaningless
            .iter()
            .copied()
            .chain(of_others)
            .any(|raw| raw.get().starts_with(['{', '[']) && may_hold_call(raw.get()));
        if !may_be_unread {
            return Ok(Vec::new());
        }
        let is_unread = |name: &str| FieldKey::named(name).is_none_or(|key| !reads(key));
        let keys = self.meanings()?.into_iter().flat_map(|whole| match whole {
            Value::Object(keys) => keys,
            _ => Map::new(),
        });
        Ok(keys.filter(|(name, _)| is_unread(name)).collect())
    }

    /// All of it as a JSON value, and its other values if other values of its duplicate keys count.
    ///
    /// # Errors
    /// If it nests too deeply, or can mean too many different values.
    pub(super) fn meanings(&self) -> Result<Vec<Value>, JsonError> {
        let read = read_json(self.text)?;
        Ok(std::iter::once(read.value)
            .chain(read.other_values)
            .collect())
    }

    /// The keys that are duplicated with another value.
    pub(super) fn duplicates(&self) -> &[FieldKey] {
        &self.fields.duplicates
    }

    /// The type of the event.
    pub(super) fn kind(&self) -> &str {
        &self.kind
    }

    /// The field as it was sent, also if it is `null`.
    pub(super) fn raw(&self, key: FieldKey) -> Option<&'a RawValue> {
        self.fields.value(key)
    }

    /// Whether it has the field, and that is not `null`.
    pub(super) fn has(&self, key: FieldKey) -> bool {
        self.present(key).is_some()
    }

    /// The field, unless it is `null`.
    fn present(&self, key: FieldKey) -> Option<&'a RawValue> {
        self.raw(key).filter(|raw| raw.get() != "null")
    }

    /// An id or a name: a string; a number is taken as one.
    pub(super) fn id(
        &self,
        key: FieldKey,
        warnings: &mut Warnings,
    ) -> Result<Option<Cow<'a, str>>, DecodeError> {
        let Some(raw) = self.present(key) else {
            return Ok(None);
        };
        match raw.get().as_bytes() {
            [b'"', ..] => Ok(Some(whole(raw, warnings))),
            [b'-' | b'0'..=b'9', ..] => {
                warnings.add(format!(
                    "`{}` of a `{}` is a number, not a string",
                    key.name(),
                    self.kind
                ));
                Ok(Some(Cow::Borrowed(raw.get())))
            }
            _ => Err(DecodeError(format!(
                "has a `{}` that is not a string in its `{}`",
                key.name(),
                self.kind
            ))),
        }
    }

    /// Like [`WireEvent::id`], for a field that the event needs.
    pub(super) fn required(
        &self,
        key: FieldKey,
        warnings: &mut Warnings,
    ) -> Result<Cow<'a, str>, DecodeError> {
        self.id(key, warnings)?.ok_or_else(|| self.missing(key))
    }

    /// Like [`WireEvent::id`], without a warning about an odd value: the decoder has reported it.
    pub(super) fn quiet_id(&self, key: FieldKey) -> Option<Cow<'a, str>> {
        self.id(key, &mut Warnings::default()).ok().flatten()
    }

    /// Text; any other value is taken as its JSON.
    pub(super) fn text(&self, key: FieldKey, warnings: &mut Warnings) -> Option<Cow<'a, str>> {
        let text = self.piece(key, warnings)?;
        Some(text.alone(|| warnings.add_lone_surrogate()))
    }

    /// Like [`WireEvent::text`], for a piece of a longer text: it may end within a character.
    pub(super) fn piece(&self, key: FieldKey, warnings: &mut Warnings) -> Option<SentText<'a>> {
        let raw = self.present(key)?;
        if raw.get().starts_with('"') {
            return Some(sent_text(raw.get()));
        }
        warnings.add(format!(
            "`{}` of a `{}` is not a string: its JSON is taken",
            key.name(),
            self.kind
        ));
        Some(SentText::whole(raw.get()))
    }

    /// The reason that the call of a result failed, if it did: a text that is not empty, or any other value but
    /// `false`.
    pub(super) fn error(&self, warnings: &mut Warnings) -> Option<Cow<'a, str>> {
        let raw = self.present(FieldKey::Error)?;
        match raw.get() {
            "false" | "\"\"" => None,
            text if text.starts_with('"') => Some(whole(raw, warnings)),
            value => Some(Cow::Borrowed(value)),
        }
    }

    /// Its own timestamp in microseconds of Unix time, if it is a number (of milliseconds).
    pub(super) fn stamp(&self) -> Option<u64> {
        let number = self.present(FieldKey::Timestamp)?.get();
        match number.parse::<u64>() {
            Ok(whole) => whole.checked_mul(1000),
            // Some servers send fractions of milliseconds.
            Err(_) => format!("{:.0}", number.parse::<f64>().ok()? * 1000.0)
                .parse()
                .ok(),
        }
    }

    /// Whether the field is a string.
    pub(super) fn is_text(&self, key: FieldKey) -> bool {
        self.raw(key).is_some_and(|raw| raw.get().starts_with('"'))
    }

    /// The field as a JSON value; `None` if it is missing or `null`.
    pub(super) fn value(
        &self,
        key: FieldKey,
        warnings: &mut Warnings,
    ) -> Result<Option<Value>, DecodeError> {
        self.present(key)
            .map(|raw| self.parsed(key, raw, warnings))
            .transpose()
    }

    /// The field with its numbers as they are spelled, also if it is `null`.
    pub(super) fn as_sent(
        &self,
        key: FieldKey,
        warnings: &mut Warnings,
    ) -> Result<Option<Value>, DecodeError> {
        let read = |raw: &RawValue| self.read(key, received_json::read(raw.get()), warnings);
        self.present(key).map(read).transpose()
    }

    fn parsed(
        &self,
        key: FieldKey,
        raw: &RawValue,
        warnings: &mut Warnings,
    ) -> Result<Value, DecodeError> {
        self.read(key, read_json(raw.get()), warnings)
    }

    fn read(
        &self,
        key: FieldKey,
        read: Result<ReceivedJson, JsonError>,
        warnings: &mut Warnings,
    ) -> Result<Value, DecodeError> {
        let read = read.map_err(|failure| {
            DecodeError(format!(
                "has a `{}` in its `{}` that cannot be read ({failure})",
                key.name(),
                self.kind
            ))
        })?;
        warnings.add_oddities(read.oddities);
        Ok(read.value)
    }

    /// The error of a field that the event needs and does not have.
    pub(super) fn missing(&self, key: FieldKey) -> DecodeError {
        DecodeError(format!(
            "has no `{}`, which a `{}` needs",
            key.name(),
            self.kind
        ))
    }
}

impl<'a> RawFields<'a> {
    fn value(&self, key: FieldKey) -> Option<&'a RawValue> {
        let mut values = self.values.iter();
        values
            .find(|(known, _)| *known == key)
            .map(|(_, value)| *value)
    }
}

/// The text of a JSON string by itself.
fn whole<'a>(raw: &'a RawValue, warnings: &mut Warnings) -> Cow<'a, str> {
    sent_text(raw.get()).alone(|| warnings.add_lone_surrogate())
}

impl<'de: 'a, 'a> Deserialize<'de> for RawFields<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawFieldsVisitor)
    }
}

struct RawFieldsVisitor;

impl<'de> Visitor<'de> for RawFieldsVisitor {
    type Value = RawFields<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an event object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = RawFields {
            values: Vec::with_capacity(MOST_FIELDS),
            ..RawFields::default()
        };
        while let Some(name) = map.next_key::<FieldName>()? {
            let value = map.next_value::<&RawValue>()?;
            let is_structure = value.get().starts_with(['{', '[']);
            fields.has_structure |= is_structure;
            let Some((key, converted)) = name.0 else {
                if is_structure {
                    fields.meaningless.push(value);
                }
                continue;
            };
            match fields.values.iter_mut().find(|(known, _)| *known == key) {
                None => fields.values.push((key, value)),
                Some((_, before)) => {
                    if before.get() != value.get() {
                        fields.duplicates.push(key);
                    }
                    *before = value;
                }
            }
            if converted {
                fields.converted.get_or_insert(key);
            }
        }
        Ok(fields)
    }
}

/// A field's name, looked up without a copy: which key, and whether under a converted name.
struct FieldName(Option<(FieldKey, bool)>);

impl<'de> Deserialize<'de> for FieldName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl Visitor<'_> for NameVisitor {
    type Value = FieldName;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a field's name")
    }

    fn visit_str<E>(self, name: &str) -> Result<FieldName, E> {
        let key = FieldKey::named(name);
        Ok(FieldName(key.map(|key| (key, key.name() != name))))
    }
}

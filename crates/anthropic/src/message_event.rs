//! One event of a response, as servers write it: every key may be missing, null, or of another form.

use serde_json::Value;

use ananke_base::source::received_json::{Halves, Oddities, SentText, read_event};

/// An event with what is odd about its JSON.
pub(super) struct MessageEvent {
    value: Value,
    pub(super) oddities: Oddities,
    /// A key that is duplicated with another value.
    pub(super) duplicate_key: Option<String>,
}

/// The meaning of an event, by its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageEventKind {
    /// The message begins.
    MessageStart,
    /// A block begins.
    BlockStart,
    /// A piece of a block.
    BlockDelta,
    /// A block is complete.
    BlockStop,
    /// The reason for the stop, and tokens.
    MessageDelta,
    /// The last event, after the reason for the stop.
    MessageStop,
    /// A sign of life.
    Ping,
    /// An error, which ends the message.
    Error,
    /// An event of another type.
    Unknown,
}

impl MessageEvent {
    /// # Errors
    /// The reason that the data is not an event; the text follows `event 3 `.
    pub(super) fn parse(data: &str) -> Result<Self, String> {
        match read_event(data) {
            Ok((value @ Value::Object(_), mut oddities)) => Ok(Self {
                value,
                duplicate_key: oddities.duplicate_key.take(),
                oddities,
            }),
            Ok(_) => Err("is not a JSON object".to_owned()),
            Err(error) => Err(format!("is not JSON: {error}")),
        }
    }

    /// The event as JSON.
    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// The type; empty if there is none.
    pub(super) fn type_name(&self) -> &str {
        type_of(&self.value)
    }

    /// The meaning of the event. The key `type` decides: the name before the data may be missing or wrong.
    pub(super) fn kind(&self) -> MessageEventKind {
        match self.type_name() {
            "message_start" => MessageEventKind::MessageStart,
            "content_block_start" => MessageEventKind::BlockStart,
            "content_block_delta" => MessageEventKind::BlockDelta,
            "content_block_stop" => MessageEventKind::BlockStop,
            "message_delta" => MessageEventKind::MessageDelta,
            "message_stop" => MessageEventKind::MessageStop,
            "ping" => MessageEventKind::Ping,
            "error" => MessageEventKind::Error,
            // Gateways send an error without a type, and a ping without anything.
            "" if !self.value["error"].is_null() => MessageEventKind::Error,
            "" if self.is_empty() => MessageEventKind::Ping,
            _ => MessageEventKind::Unknown,
        }
    }

    fn is_empty(&self) -> bool {
        let keys = self.value.as_object();
        keys.is_none_or(serde_json::Map::is_empty)
    }

    /// The message of the event, or its block, or what it adds.
    pub(super) fn object(&self, key: &str) -> Option<&Value> {
        self.value.get(key).filter(|value| value.is_object())
    }

    /// The place of the block that the event is about.
    pub(super) fn index(&self) -> Option<u64> {
        self.value.get("index")?.as_u64()
    }

    /// The form in which texts have halves of surrogate pairs, which servers cut apart.
    pub(super) fn halves(&self) -> Halves {
        self.oddities.halves()
    }
}

/// The text under a key, if it is not empty.
pub(super) fn text_of<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// An id: a text, or a number as its text; `None` if there is none.
pub(super) fn id_of(value: &Value, key: &str) -> Option<String> {
    match value.get(key)? {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// The text under a key, in whose pieces halves of surrogate pairs may be cut apart; `None` if it is empty.
pub(super) fn sent_text<'v>(value: &'v Value, key: &str, halves: Halves) -> Option<SentText<'v>> {
    Some(SentText::new(text_of(value, key)?, halves))
}

/// The type of an event, of a block or of a piece; empty if it has none.
pub(super) fn type_of(value: &Value) -> &str {
    value["type"].as_str().unwrap_or_default()
}

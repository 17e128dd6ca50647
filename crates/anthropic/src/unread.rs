//! The parts of an event that are not understood (SPEC 13): unknown types of events, blocks and pieces, and keys without a
//! meaning.
//!
//! The silent list: citations, signatures, reasoning, lists of tools, and what a message says about its server.

use serde_json::Value;

use super::block_kind::BlockKind;
use super::message_event::{MessageEvent, MessageEventKind, type_of};
use ananke_trace::trace::{
    Fact, Facts, JsonKinds as Kinds, KnownKey, Unread, unread_items, unread_keys,
};

/// What carries text.
const TEXT: Facts = Facts::of(&[Fact::Text]);

/// Facts of the arguments of a call.
const ARGUMENTS: Facts = Facts::of(&[Fact::Arguments]);

/// What carries the result of a call.
const RESULT: Facts = Facts::of(&[Fact::Results, Fact::CallEnds]);

/// The end of a run.
const ENDS: Facts = Facts::of(&[Fact::RunEnds]);

/// What may carry anything that a model says.
const SAID: Facts = Facts::of(&[
    Fact::Text,
    Fact::Calls,
    Fact::Arguments,
    Fact::Results,
    Fact::CallEnds,
]);

/// The keys of an event whose `delta` carries these facts.
const fn event_keys(delta: Facts) -> [KnownKey; 7] {
    [
        KnownKey::any("type"),
        KnownKey::any("index"),
        KnownKey::any("context_management"),
        KnownKey::new("message", Kinds::OBJECT, SAID),
        KnownKey::new("content_block", Kinds::OBJECT, SAID),
        KnownKey::new("delta", Kinds::OBJECT, delta),
        KnownKey::new("usage", Kinds::OBJECT, Facts::of(&[Fact::Usage])),
    ]
}

/// The keys of an event with a piece of a block.
const PIECE_EVENT: [KnownKey; 7] = event_keys(SAID);

/// The keys of an event with the end of a message, and of every other one.
const OTHER_EVENT: [KnownKey; 7] = event_keys(ENDS);

/// The keys of a message.
const MESSAGE: &[KnownKey] = &[
    KnownKey::any("id"),
    KnownKey::any("type"),
    KnownKey::any("role"),
    KnownKey::any("model"),
    KnownKey::any("stop_sequence"),
    KnownKey::any("stop_details"),
    KnownKey::any("container"),
    KnownKey::new("content", Kinds::LIST, SAID),
    KnownKey::new("stop_reason", Kinds::TEXT, ENDS),
    KnownKey::new("usage", Kinds::OBJECT, Facts::of(&[Fact::Usage])),
];

/// The keys of what an event adds to a message.
const MESSAGE_DELTA: &[KnownKey] = &[
    KnownKey::any("stop_sequence"),
    KnownKey::any("stop_details"),
    KnownKey::any("container"),
    KnownKey::new("stop_reason", Kinds::TEXT, ENDS),
];

/// The keys of a piece of a block.
const PIECE: &[KnownKey] = &[
    KnownKey::any("type"),
    KnownKey::any("thinking"),
    KnownKey::any("signature"),
    KnownKey::any("citation"),
    KnownKey::any("content"),
    KnownKey::any("estimated_tokens"),
    KnownKey::new("text", Kinds::TEXT, TEXT),
    KnownKey::new("partial_json", Kinds::TEXT, ARGUMENTS),
];

/// The keys of a block of text.
const TEXT_BLOCK: &[KnownKey] = &[
    KnownKey::any("type"),
    KnownKey::any("citations"),
    KnownKey::new("text", Kinds::TEXT, TEXT),
];

/// The keys of a call.
const CALL: &[KnownKey] = &[
    KnownKey::any("type"),
    KnownKey::any("caller"),
    KnownKey::any("server_name"),
    KnownKey::any("toolset_name"),
    KnownKey::new("id", Kinds::ID, RESULT),
    KnownKey::new("name", Kinds::TEXT, Facts::of(&[Fact::Calls])),
    KnownKey::new("input", Kinds::ANY, ARGUMENTS),
];

/// The keys of a result.
const RESULT_BLOCK: &[KnownKey] = &[
    KnownKey::any("type"),
    KnownKey::any("caller"),
    KnownKey::new("is_error", Kinds::BOOLEAN, RESULT),
    KnownKey::new("tool_use_id", Kinds::ID, RESULT),
    KnownKey::new("content", Kinds::ANY, RESULT),
];

/// The parts of an event that are not understood, apart from those of its block and of its piece of one.
pub(super) fn of_event(event: &MessageEvent) -> Vec<Unread<'static>> {
    let mut found = Vec::new();
    // Parsers do not agree on which value of a duplicate key counts, so that every fact that a rule rests on may be wrong.
    if let Some(key) = &event.duplicate_key {
        found.push(Unread::duplicate_key(key, Facts::OF_AGENT));
    }
    let kind = event.kind();
    match kind {
        MessageEventKind::Unknown => {
            let name = format!("event:{}", event.type_name());
            found.push(Unread::item(name, event.value()));
        }
        // A sign of life has no content, and an error ends the message.
        MessageEventKind::Ping | MessageEventKind::Error => {}
        MessageEventKind::BlockStart | MessageEventKind::BlockDelta => {
            unread_keys("", event.value(), &PIECE_EVENT, &mut found);
        }
        MessageEventKind::MessageStart
        | MessageEventKind::BlockStop
        | MessageEventKind::MessageDelta
        | MessageEventKind::MessageStop => unread_keys("", event.value(), &OTHER_EVENT, &mut found),
    }
    if kind == MessageEventKind::MessageDelta
        && let Some(delta) = event.object("delta")
    {
        unread_keys("delta.", delta, MESSAGE_DELTA, &mut found);
    }
    if let Some(message) = event.object("message") {
        unread_keys("message.", message, MESSAGE, &mut found);
        if let Some(Value::Array(blocks)) = message.get("content") {
            unread_items("message.content", blocks, Kinds::OBJECT, SAID, &mut found);
        }
    }
    found
}

/// The parts of a block that are not understood, as it begins.
pub(super) fn of_block(kind: BlockKind, block: &Value) -> Vec<Unread<'static>> {
    let mut found = Vec::new();
    let known = match kind {
        BlockKind::Text => TEXT_BLOCK,
        BlockKind::Call(_) => CALL,
        BlockKind::Result => RESULT_BLOCK,
        BlockKind::Reasoning | BlockKind::Redacted | BlockKind::Silent => return found,
        BlockKind::Unknown => {
            found.push(Unread::item(format!("block:{}", type_of(block)), block));
            return found;
        }
    };
    unread_keys("content_block.", block, known, &mut found);
    found
}

/// The parts of a piece of a block that are not understood.
pub(super) fn of_delta(delta: &Value) -> Vec<Unread<'static>> {
    let mut found = Vec::new();
    if BlockKind::of_delta(delta).is_some() {
        unread_keys("delta.", delta, PIECE, &mut found);
    } else {
        found.push(Unread::item(format!("delta:{}", type_of(delta)), delta));
    }
    found
}

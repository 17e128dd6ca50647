//! The parts of a chunk that are not understood (SPEC 13): unknown types, and keys without a meaning.
//!
//! The silent list: metadata of messages, tools and providers, sources, files, and what the application sends of its own.

use super::ui_chunk::{PartPhase, UiChunk, UiChunkKind};
use ananke_trace::trace::{Fact, Facts, JsonKinds as Kinds, KnownKey, Unread, unread_keys};

/// The rules about what an agent says.
const TEXT: Facts = Facts::of(&[Fact::Text]);

/// Facts of a call.
const CALL: Facts = Facts::of(&[Fact::Calls, Fact::Arguments]);

/// Facts of the result of a call.
const RESULT: Facts = Facts::of(&[Fact::Results, Fact::CallEnds]);

/// Facts of an approval.
const APPROVAL: Facts = Facts::of(&[Fact::Interrupts, Fact::CallEnds]);

/// Facts of what can be nothing but an end.
const END: Facts = Facts::of(&[Fact::RunEnds]);

/// The keys of a chunk with text.
const TEXT_CHUNK: &[KnownKey] = &[
    KnownKey::any("type"),
    KnownKey::any("id"),
    KnownKey::any("providerMetadata"),
    KnownKey::any("citations"),
    KnownKey::new("delta", Kinds::TEXT, TEXT),
];

/// The keys of a chunk with reasoning, which is never said.
const REASONING_CHUNK: &[KnownKey] = &[
    KnownKey::any("type"),
    KnownKey::any("id"),
    KnownKey::any("providerMetadata"),
    KnownKey::any("delta"),
];

/// The keys of a chunk with the input of a call.
const INPUT_CHUNK: &[KnownKey] = &[
    KnownKey::any("type"),
    KnownKey::new("toolCallId", Kinds::ID, RESULT),
    KnownKey::new("toolName", Kinds::TEXT, CALL),
    KnownKey::new("inputTextDelta", Kinds::TEXT, Facts::of(&[Fact::Arguments])),
    KnownKey::any("input"),
    KnownKey::any("inputEncoding"),
    KnownKey::any("providerExecuted"),
    KnownKey::any("providerMetadata"),
    KnownKey::any("toolMetadata"),
    KnownKey::any("dynamic"),
    KnownKey::any("title"),
    KnownKey::new("errorText", Kinds::TEXT, RESULT),
];

/// The keys of a chunk with the outcome of a call.
const OUTPUT_CHUNK: &[KnownKey] = &[
    KnownKey::any("type"),
    KnownKey::new("toolCallId", Kinds::ID, RESULT),
    KnownKey::any("output"),
    KnownKey::any("providerExecuted"),
    KnownKey::any("providerMetadata"),
    KnownKey::any("toolMetadata"),
    KnownKey::any("dynamic"),
    KnownKey::new("preliminary", Kinds::BOOLEAN, RESULT),
    KnownKey::new("errorText", Kinds::TEXT, RESULT),
];

/// The keys of a chunk about an approval.
const APPROVAL_CHUNK: &[KnownKey] = &[
    KnownKey::any("type"),
    KnownKey::new("approvalId", Kinds::ID, APPROVAL),
    KnownKey::new("toolCallId", Kinds::ID, APPROVAL),
    KnownKey::any("approvalDescriptor"),
    KnownKey::any("inputSchemaInput"),
    KnownKey::any("reason"),
    KnownKey::new("isAutomatic", Kinds::BOOLEAN, APPROVAL),
    KnownKey::any("signature"),
    KnownKey::any("approved"),
    KnownKey::any("providerExecuted"),
    KnownKey::any("providerMetadata"),
];

/// The keys of a chunk about the message or its end.
const END_CHUNK: &[KnownKey] = &[
    KnownKey::any("type"),
    KnownKey::any("messageId"),
    KnownKey::any("messageMetadata"),
    KnownKey::any("reason"),
    KnownKey::new("finishReason", Kinds::TEXT, END),
];

/// The parts of a chunk that are not understood.
pub(super) fn of_chunk(chunk: &UiChunk) -> Vec<Unread<'static>> {
    let mut found = Vec::new();
    // Parsers do not agree on which value of a duplicate key counts, so that every fact that a rule rests on may be wrong.
    if let Some(key) = &chunk.duplicate_key {
        found.push(Unread::duplicate_key(key, Facts::OF_AGENT));
    }
    let known = match chunk.kind() {
        UiChunkKind::Unknown => {
            let name = format!("event:{}", chunk.type_name());
            found.push(Unread::item(name, chunk.value()));
            return found;
        }
        // Sources, files, and a message of the user are no text of the agent. An error ends the run.
        UiChunkKind::Part | UiChunkKind::Steering | UiChunkKind::Data | UiChunkKind::Error => {
            return found;
        }
        UiChunkKind::Text(_) => TEXT_CHUNK,
        UiChunkKind::Reasoning(_) => REASONING_CHUNK,
        UiChunkKind::InputStart
        | UiChunkKind::InputDelta
        | UiChunkKind::Input
        | UiChunkKind::InputError => INPUT_CHUNK,
        UiChunkKind::Output | UiChunkKind::OutputError | UiChunkKind::OutputDenied => OUTPUT_CHUNK,
        UiChunkKind::ApprovalRequest | UiChunkKind::ApprovalResponse => APPROVAL_CHUNK,
        UiChunkKind::Start
        | UiChunkKind::StartStep
        | UiChunkKind::FinishStep
        | UiChunkKind::ResetStep
        | UiChunkKind::Metadata
        | UiChunkKind::Finish
        | UiChunkKind::Abort => END_CHUNK,
    };
    unread_keys("", chunk.value(), known, &mut found);
    found.extend(missing_delta(chunk));
    found
}

/// A piece of text that has its text under another key: it may be said, although nothing is read.
fn missing_delta(chunk: &UiChunk) -> Option<Unread<'static>> {
    let is_piece = chunk.kind() == UiChunkKind::Text(PartPhase::Delta);
    if !is_piece || chunk.value().get("delta").is_some() {
        return None;
    }
    let keys = chunk.value().as_object()?;
    let mut others = keys
        .iter()
        .filter(|(key, _)| !TEXT_KEYS.contains(&key.as_str()));
    let (_, value) = others.find(|(_, value)| value.is_string())?;
    Some(Unread::spelled("key:delta", TEXT, value))
}

/// The keys of a piece of text whose values are no text of it.
const TEXT_KEYS: [&str; 3] = ["type", "id", "providerMetadata"];

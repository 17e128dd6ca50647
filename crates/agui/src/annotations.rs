//! Further fields of events about a message or call: its name, its subagent, metadata. They mean nothing to the trace,
//! and go back to the agent with the message or call.

use serde_json::{Map, Value};

use super::event::{FieldKey, WireEvent};
use super::event_kind::{Effect, ItemKind};
use super::incoming::Incoming;
use super::thread_state::ThreadState;
use super::warnings::Warnings;
use crate::messages::Annotated;

/// Adds what the event says about the item `id`, or about the result of the call of this key, to the history.
pub(super) fn annotate(incoming: &Incoming<'_>, id: &str, conversation: &mut ThreadState) {
    let ThreadState { calls, history, .. } = conversation;
    let fields = further_fields(incoming.event);
    if fields.is_empty() {
        return;
    }
    let what = match incoming.effect {
        Effect::AnswersCall => Annotated::ResultOf(id),
        Effect::Begins(kind)
        | Effect::Continues(kind)
        | Effect::Ends(kind)
        | Effect::Chunk(kind) => match kind {
            ItemKind::Call => Annotated::Call(calls.key(id)),
            _ => Annotated::Message(id),
        },
        _ => return,
    };
    history.annotate(what, fields);
}

/// The further fields of the event, by the names that a request has for it.
pub(super) fn further_fields(event: &WireEvent<'_>) -> Map<String, Value> {
    if [FieldKey::Metadata, FieldKey::Name, FieldKey::SubagentRunId]
        .iter()
        .all(|key| event.raw(*key).is_none())
    {
        return Map::new();
    }
    let metadata = event
        .value(FieldKey::Metadata, &mut Warnings::default())
        .ok()
        .flatten();
    let text = |key: FieldKey| {
        event
            .quiet_id(key)
            .map(|text| Value::String(text.into_owned()))
    };
    let values = [
        ("name", text(FieldKey::Name)),
        ("subagentRunId", text(FieldKey::SubagentRunId)),
        ("metadata", metadata.filter(Value::is_object)),
    ];
    let values = values
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    values.collect()
}

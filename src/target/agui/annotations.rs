//! What events say of a message or call beside its words: its name, the subagent it is from, metadata. It means nothing
//! to the neutral record, and goes back to the agent with the message or call, as its own client would send it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::frame::{Frame, Key};
use super::history::{History, Whose};
use super::lanes::{Kind, Lanes};
use super::warnings::Warnings;

const KEYS: [Key; 3] = [Key::Metadata, Key::Name, Key::SubagentRunId];

/// Takes what `frame` says of the message or call it is about; a chunk without an id is about the one under way.
pub(super) fn take(frame: &Frame<'_>, lanes: &Lanes, history: &mut History) {
    if KEYS.iter().all(|key| frame.raw(*key).is_none()) {
        return;
    }
    let (whose, kind) = match frame.kind() {
        "TOOL_CALL_RESULT" => (Whose::AnswerTo, Kind::Call),
        kind if kind.starts_with("TOOL_CALL_") => (Whose::Call, Kind::Call),
        kind if kind.starts_with("TEXT_MESSAGE_") => (Whose::Message, Kind::Message),
        kind if kind.starts_with("REASONING_MESSAGE_") => (Whose::Message, Kind::Thoughts),
        _ => return,
    };
    // What is odd about these fields was told where they have a meaning.
    let unheard = &mut Warnings::default();
    let key = if kind == Kind::Call { Key::ToolCallId } else { Key::MessageId };
    let text = |key: Key, unheard: &mut Warnings| frame.id(key, unheard).ok().flatten();
    let owner = text(Key::SubagentRunId, unheard);
    let named = text(key, unheard);
    let current = || lanes.current(owner.as_deref().unwrap_or_default(), kind).map(Cow::Borrowed);
    let Some(id) = named.or_else(current) else { return };
    let mut says = Map::new();
    let name = text(Key::Name, unheard).map(Cow::into_owned);
    let metadata = frame.value(Key::Metadata, unheard).ok().flatten().filter(Value::is_object);
    let owner = owner.map(Cow::into_owned);
    let values = [
        ("name", name.map(Value::String)),
        ("subagentRunId", owner.map(Value::String)),
        ("metadata", metadata),
    ];
    for (key, value) in values {
        if let Some(value) = value {
            says.insert(key.to_owned(), value);
        }
    }
    history.annotate(whose, &id, says);
}

//! The parts of a chunk that are not understood (SPEC 13): other choices, unknown parts, and keys
//! without a meaning.
//!
//! The silent list: `logprobs`, which repeat the text, and parts that hold reasoning or a file. Every other key of a server's
//! own (citations, filter results, timings, costs) is silent by itself, unless its value may be a call.

use serde_json::Value;

use ananke_trace::trace::{
    Fact, Facts, JsonKinds as Kinds, KnownKey, Unread, facts_of_item, unread_items, unread_keys,
};

/// What carries text.
const TEXT: Facts = Facts::of(&[Fact::Text]);

/// What carries a call.
const CALL: Facts = Facts::of(&[Fact::Calls, Fact::Arguments]);

/// What carries the result of a call.
const RESULT: Facts = Facts::of(&[Fact::Results, Fact::CallEnds]);

/// What may carry anything that a model says.
const SAID: Facts = Facts::of(&[
    Fact::Text,
    Fact::Calls,
    Fact::Arguments,
    Fact::Results,
    Fact::CallEnds,
]);

/// The keys of a chunk.
const CHUNK: &[KnownKey] = &[
    KnownKey::any("id"),
    KnownKey::any("object"),
    KnownKey::any("created"),
    KnownKey::any("model"),
    KnownKey::new("choices", Kinds::LIST, SAID),
    KnownKey::new("usage", Kinds::OBJECT, Facts::of(&[Fact::Usage])),
    KnownKey::any("error"),
    KnownKey::any("detail"),
];

/// Facts of the arguments of a call.
const ARGUMENTS: Facts = Facts::of(&[Fact::Arguments]);

/// The keys of a choice.
const CHOICE: &[KnownKey] = &[
    KnownKey::any("index"),
    KnownKey::new("delta", Kinds::OBJECT, SAID),
    KnownKey::new("message", Kinds::OBJECT, SAID),
    // As completions without a chat have it.
    KnownKey::new("text", Kinds::NONE, TEXT),
    KnownKey::new("finish_reason", Kinds::TEXT, Facts::of(&[Fact::RunEnds])),
    KnownKey::any("error"),
    KnownKey::any("logprobs"),
];

/// The keys of the delta of a choice.
const DELTA: &[KnownKey] = &[
    KnownKey::new("role", Kinds::TEXT, Facts::of(&[Fact::Text, Fact::Results])),
    KnownKey::new("content", Kinds::ANY, TEXT),
    KnownKey::new("refusal", Kinds::TEXT, TEXT),
    KnownKey::any("reasoning"),
    KnownKey::any("reasoning_content"),
    KnownKey::new("tool_calls", Kinds::OBJECTS, CALL),
    KnownKey::new("function_call", Kinds::OBJECT, CALL),
    KnownKey::new("tool_call_id", Kinds::ID, RESULT),
    KnownKey::new("name", Kinds::TEXT, Facts::of(&[Fact::Calls])),
    KnownKey::new("audio", Kinds::OBJECT, TEXT),
];

/// The keys of a call and of its function.
const CALL_KEYS: &[KnownKey] = &[
    KnownKey::any("index"),
    KnownKey::new("id", Kinds::ID, RESULT),
    KnownKey::any("type"),
    KnownKey::new("function", Kinds::OBJECT, CALL),
    KnownKey::new("custom", Kinds::OBJECT, CALL),
    KnownKey::new("name", Kinds::TEXT, Facts::of(&[Fact::Calls])),
    KnownKey::new("arguments", Kinds::ANY, ARGUMENTS),
    KnownKey::new("input", Kinds::ANY, ARGUMENTS),
    KnownKey::new("result", Kinds::ANY, RESULT),
    KnownKey::new("output", Kinds::ANY, RESULT),
];

/// Parts of a content that are no text of the answer.
const SILENT_PARTS: &[&str] = &[
    "thinking",
    "reasoning",
    "image_url",
    "image",
    "input_audio",
    "audio",
    "file",
];

/// The parts of a chunk that are not understood. Only one choice of a chunk is read: `read_choice`, a reference into `chunk`.
pub(super) fn of_chunk(chunk: &Value, read_choice: Option<&Value>) -> Vec<Unread<'static>> {
    let mut found = Vec::new();
    // In reports, keys of the chunk itself have no prefix.
    unread_keys("", chunk, CHUNK, &mut found);
    let choices = list(chunk, "choices");
    // Items of the list that are not objects.
    unread_items("choices", choices, Kinds::OBJECT, SAID, &mut found);
    for choice in choices {
        // Two choices may be equal, so that only the address shows which of them is read.
        if let Some(read_choice) = read_choice
            && std::ptr::eq(read_choice, choice)
        {
            of_choice(choice, &mut found);
        } else {
            // Any other choice is unread as a whole, unless it is empty. A missing index is 0, as for the choice that is read.
            let index = choice["index"].as_u64().unwrap_or(0);
            add_item(format!("choice:{index}"), choice, &mut found);
        }
    }
    found
}

/// Adds the parts of the read choice that are not understood to `found`.
fn of_choice(choice: &Value, found: &mut Vec<Unread<'static>>) {
    unread_keys("choices[].", choice, CHOICE, found);
    let delta = object_of(choice, "delta");
    let message = object_of(choice, "message");
    // The reader takes a message only if there is no delta. So next to a delta, the message is unread as a whole.
    if delta.is_some()
        && let Some(message) = message
    {
        add_item("key:choices[].message".to_owned(), message, found);
    }
    // A choice with neither has only the keys above.
    let Some(delta) = delta.or(message) else {
        return;
    };
    unread_keys("choices[].delta.", delta, DELTA, found);
    // Audio is a known key, but its content is not read: it may have a transcript, which is text.
    if let Some(audio) = object_of(delta, "audio") {
        add_item("key:choices[].delta.audio".to_owned(), audio, found);
    }
    of_calls(delta, found);
    of_content(delta, found);
}

/// Adds the keys of the calls of a delta that are not understood to `found`.
fn of_calls(delta: &Value, found: &mut Vec<Unread<'static>>) {
    let calls = match delta.get("tool_calls") {
        // Some servers write a single call without a list.
        Some(call @ Value::Object(_)) => std::slice::from_ref(call),
        _ => list(delta, "tool_calls"),
    };
    for call in calls {
        unread_keys("tool_calls[].", call, CALL_KEYS, found);
        // Functions have the same table as calls, since some servers write the keys of a function directly in the call. A custom
        // tool is a function for reports, so what is unread of it has the same names.
        for key in ["function", "custom"] {
            if let Some(function) = call.get(key) {
                unread_keys("tool_calls[].function.", function, CALL_KEYS, found);
            }
        }
    }
    // Before an answer could have several calls, it had a single function.
    if let Some(function) = delta.get("function_call") {
        unread_keys("function_call.", function, CALL_KEYS, found);
    }
}

/// Adds the parts of the content of a delta that are not understood to `found`.
fn of_content(delta: &Value, found: &mut Vec<Unread<'static>>) {
    // The content of a tool's message is the result of a call, any other is text.
    let facts = if is_result(delta) { RESULT } else { TEXT };
    match delta.get("content") {
        Some(Value::Array(parts)) => {
            let name = "choices[].delta.content";
            unread_items(name, parts, Kinds::OBJECT, facts, found);
            for part in parts {
                of_part(part, facts, found);
            }
        }
        // Text of the model must be a string or a list of parts. A result may be any other JSON value, and is read then.
        Some(content @ (Value::Object(_) | Value::Number(_) | Value::Bool(true)))
            if !is_result(delta) =>
        {
            // Such a value may also contain a call, for example.
            let facts = facts | facts_of_item(content);
            let name = "key:choices[].delta.content";
            found.push(Unread::other_kind(name, facts, content));
        }
        // A string is read, and null and `false` say that there is no content.
        _ => {}
    }
}

fn of_part(part: &Value, facts: Facts, found: &mut Vec<Unread<'static>>) {
    let kind = part["type"].as_str().unwrap_or_default();
    let name = format!("part:{kind}");
    match part.get("text") {
        Some(Value::String(_)) => found.extend(Unread::key(name, part)),
        Some(text) if !text.is_null() => {
            found.push(Unread::other_kind(format!("{name}.text"), facts, text));
        }
        _ if SILENT_PARTS.contains(&kind) => found.extend(Unread::key(name, part)),
        _ => add_item(name, part, found),
    }
}

/// Adds an item that is not read to `found`, if a rule may be about it.
fn add_item(name: String, value: &Value, found: &mut Vec<Unread<'static>>) {
    let unread = Unread::item(name, value);
    if unread.facts != Facts::NONE {
        found.push(unread);
    }
}

/// The object under a key: servers write null, or an empty text, where there is none.
pub(super) fn object_of<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    value.get(key).filter(|value| value.is_object())
}

/// The items of a list under a key.
fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    match value.get(key) {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

/// A delta of the result of a call.
fn is_result(delta: &Value) -> bool {
    !delta["tool_call_id"].is_null() || matches!(delta["role"].as_str(), Some("tool" | "function"))
}

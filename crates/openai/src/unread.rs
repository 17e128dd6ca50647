//! The parts of a chunk that are not understood (SPEC 13): other choices, unknown parts, and keys
//! without a meaning.
//!
//! The silent list: `logprobs`, which repeat the text, and parts that hold reasoning or a file. Every other key of a server's
//! own (citations, filter results, timings, costs) is silent by itself, unless its value may be a call.

use serde_json::Value;

use ananke_trace::trace::{Facts, Unread};

/// Keys of a chunk that have a meaning.
const CHUNK: &[&str] = &[
    "id", "object", "created", "model", "choices", "usage", "error", "detail",
];

/// Keys of a choice that have a meaning, and `logprobs`.
const CHOICE: &[&str] = &["index", "delta", "finish_reason", "error", "logprobs"];

/// Keys of a delta that have a meaning.
const DELTA: &[&str] = &[
    "role",
    "content",
    "refusal",
    "reasoning",
    "reasoning_content",
    "tool_calls",
    "function_call",
    "tool_call_id",
    "name",
    "audio",
];

/// Keys of a call and its function that have a meaning.
const CALL: &[&str] = &[
    "index",
    "id",
    "type",
    "function",
    "custom",
    "name",
    "arguments",
    "input",
    "result",
    "output",
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

/// The parts of a chunk that are not understood; `read` is the choice that is read.
pub(super) fn of_chunk(chunk: &Value, read: Option<&Value>) -> Vec<Unread<'static>> {
    let mut found = Vec::new();
    keys("", chunk, CHUNK, &mut found);
    let choices = chunk.get("choices").and_then(Value::as_array);
    for choice in choices.into_iter().flatten() {
        if read.is_some_and(|read| std::ptr::eq(read, choice)) {
            of_choice(choice, &mut found);
        } else {
            let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
            item(format!("choice:{index}"), choice, &mut found);
        }
    }
    found
}

fn of_choice(choice: &Value, found: &mut Vec<Unread<'static>>) {
    let of = |key: &str| choice.get(key).filter(|value| value.is_object());
    keys("choices[].", choice, CHOICE, found);
    let Some(delta) = of("delta").or_else(|| of("message")) else {
        return;
    };
    if of("delta").is_some()
        && let Some(message) = of("message")
    {
        item("key:choices[].message".to_owned(), message, found);
    }
    keys("choices[].delta.", delta, DELTA, found);
    if let Some(audio) = delta.get("audio") {
        item("key:choices[].delta.audio".to_owned(), audio, found);
    }
    for call in delta
        .get("tool_calls")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        keys("tool_calls[].", call, CALL, found);
        for function in ["function", "custom"]
            .iter()
            .filter_map(|key| call.get(*key))
        {
            keys("tool_calls[].function.", function, CALL, found);
        }
    }
    match delta.get("content") {
        Some(Value::Array(parts)) => parts.iter().for_each(|part| of_part(part, found)),
        Some(content @ Value::Object(_)) if !is_result(delta) => {
            item("part:object".to_owned(), content, found);
        }
        _ => {}
    }
}

fn of_part(part: &Value, found: &mut Vec<Unread<'static>>) {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    let name = format!("part:{kind}");
    if part.get("text").is_some_and(Value::is_string) || SILENT_PARTS.contains(&kind) {
        found.extend(Unread::key(name, part));
    } else {
        item(name, part, found);
    }
}

/// The keys of an object that have no meaning and may hold a call.
fn keys(holder: &str, value: &Value, known: &[&str], found: &mut Vec<Unread<'static>>) {
    let unknown = value
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, value)| {
            (value.is_object() || value.is_array()) && !known.contains(&key.as_str())
        });
    found.extend(
        unknown.filter_map(|(key, value)| Unread::key(format!("key:{holder}{key}"), value)),
    );
}

/// An item that is not read, if a rule may be about it.
fn item(name: String, value: &Value, found: &mut Vec<Unread<'static>>) {
    let unread = Unread::item(name, value);
    if unread.facts != Facts::NONE {
        found.push(unread);
    }
}

fn is_result(delta: &Value) -> bool {
    delta.get("tool_call_id").is_some() || delta.get("role").is_some_and(|role| role == "tool")
}

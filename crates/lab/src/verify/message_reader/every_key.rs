//! Every key of messages with every kind of value: it is read, unread, or a gap that is not shown, and never vanishes (SPEC 13).

use serde_json::json;

use super::*;

/// A value of each kind of JSON, and a text that is JSON.
pub(in crate::verify) fn kinds() -> [(&'static str, Value); 6] {
    [
        ("object", json!({ "k": "mark" })),
        ("list", json!(["mark"])),
        ("text", json!("mark")),
        ("number", json!(7777)),
        ("boolean", json!(true)),
        ("JSON as text", json!(r#"{"k":"mark"}"#)),
    ]
}

/// The kinds of a key that contain no fact, and why.
const WITHOUT_FACTS: &[(&str, &[&str], &str)] = &[
    (
        "status",
        &["text", "JSON as text"],
        "a status that says nothing of failures",
    ),
    ("approval", &["object"], "the user has not answered yet"),
];

/// The message with `value` at `key`, which is one of `list`; complete but for that key.
fn message(list: &str, key: &str, value: &Value) -> Value {
    let (whole, at) = match list {
        "role" => (json!({ "content": "x" }), ""),
        "content" | "refusal" | "transcript" | "reasoning" => (json!({ "role": "assistant" }), ""),
        "calls" => (json!({ "role": "assistant", "content": "x" }), ""),
        "results" => (json!({ "role": "user", "content": "x" }), ""),
        "thought" => (
            json!({ "role": "model", "parts": [{ "text": "x" }] }),
            "/parts/0",
        ),
        "part_type" => (
            json!({ "role": "assistant", "parts": [{ "text": "x" }] }),
            "/parts/0",
        ),
        "text" => (
            json!({ "role": "assistant", "parts": [{ "type": "text" }] }),
            "/parts/0",
        ),
        "call_id" => (
            json!({ "type": "tool_call", "name": "pay", "arguments": "{}" }),
            "",
        ),
        "name" => (
            json!({ "type": "tool_call", "id": "c", "arguments": "{}" }),
            "",
        ),
        "arguments" => (json!({ "type": "tool_call", "id": "c", "name": "pay" }), ""),
        "result" => (json!({ "type": "tool_result", "tool_use_id": "c" }), ""),
        "is_error" | "status" => (
            json!({ "type": "tool_result", "tool_use_id": "c", "content": "done" }),
            "",
        ),
        "call_result" | "error" => (
            json!({ "type": "mcp_call", "id": "c", "name": "pay", "arguments": "{}" }),
            "",
        ),
        "approval" => (
            json!({ "type": "tool-pay", "toolCallId": "c", "input": {}, "state": "output-available", "output": "done" }),
            "",
        ),
        other => panic!("the list `{other}` has no message here"),
    };
    let mut whole = whole;
    let place = whole.pointer_mut(at).and_then(Value::as_object_mut);
    place.unwrap().insert(key.to_owned(), value.clone());
    whole
}

fn items(message: &Value) -> Vec<MessageItem> {
    let assistant = Some(MessageSpeaker::Assistant);
    Conventions::known().items(message, assistant, "messages", InnerMessages::Ignored)
}

/// Whether a fact is not shown, so that no rule passes that rests on it.
fn has_gap(items: &[MessageItem]) -> bool {
    items.iter().any(|item| match item {
        MessageItem::Says(text) | MessageItem::Asks(text) => text.is_none(),
        MessageItem::Calls { name, args, .. } => name.is_none() || args.is_none(),
        MessageItem::Answers { result, end, .. } => result.is_none() || end.is_none(),
        MessageItem::Unread(_) => true,
        MessageItem::Instructs | MessageItem::Reasons(_) => false,
    })
}

#[test]
fn every_key_with_every_kind_of_value_is_read_or_unread() {
    let names = &Conventions::known().messages;
    let lists: [(&str, &Vec<String>); 16] = [
        ("role", &names.role),
        ("content", &names.content),
        ("refusal", &names.refusal),
        ("transcript", &names.transcript),
        ("reasoning", &names.reasoning),
        ("calls", &names.calls),
        ("results", &names.results),
        ("thought", &names.thought),
        ("part_type", &names.part_type),
        ("text", &names.text),
        ("call_id", &names.call_id),
        ("name", &names.name),
        ("arguments", &names.arguments),
        ("result", &names.result),
        ("call_result", &names.call_result),
        ("error", &names.error),
    ];
    let ends = [
        ("is_error", &names.is_error),
        ("status", &names.status),
        ("approval", &names.approval),
    ];
    let mut vanished = Vec::new();
    let mut read = 0;
    for (list, keys) in lists.iter().chain(&ends) {
        for key in *keys {
            let without = items(&message(list, key, &Value::Null));
            for (kind, value) in kinds() {
                let own = items(&message(list, key, &value));
                let mut without_facts = WITHOUT_FACTS.iter();
                let is_expected =
                    without_facts.any(|(own, kinds, _)| own == list && kinds.contains(&kind));
                if (own == without && !has_gap(&own)) != is_expected {
                    vanished.push(format!("{list}: `{key}` as {kind}: {own:?}"));
                }
                read += 1;
            }
        }
    }
    assert!(vanished.is_empty(), "{}", vanished.join("\n"));
    assert!(read > 300, "{read}");
}

#[test]
fn an_object_around_a_message_that_is_of_another_kind_is_unread() {
    let names = &Conventions::known().messages;
    let call = json!({ "role": "assistant", "tool_calls": [{ "id": "c", "name": "pay", "args": { "n": 1 } }] });
    let kinds = [
        json!([call]),
        json!(call.to_string()),
        json!([call].map(|call| call.to_string())),
    ];
    for key in names.wrappers.iter().chain(&names.repeats) {
        for value in &kinds {
            let message = json!({ "role": "assistant", "content": "x", key.as_str(): value });
            let own = items(&message);
            let calls = |item: &MessageItem| match item {
                MessageItem::Calls { .. } => true,
                MessageItem::Unread(unread) => unread.facts.has(Fact::Calls),
                // The text of an answer is what it is.
                MessageItem::Says(Some(text)) => {
                    names.content.contains(key) && text.contains("pay")
                }
                _ => false,
            };
            assert!(own.iter().any(calls), "{message}: {own:?}");
        }
    }
}

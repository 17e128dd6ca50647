//! The tables of the keys of an event, each with the test that is generated from it.
//!
//! **Invariant:** every key that the reader of this crate knows has a row.

use serde_json::{Value, json};

use super::key_table::{
    ANY, CALL, CONTENT, ID, ITEM, KeyReading, KeyRow, LIST, RESULT, ReadingSink, TEXT, WORD,
    key_problems, row,
};
use super::response_reader::ResponseReader;
use ananke_agents::{
    EventReader as _, ModelReader as _, ModelReply, ToolExecution, ToolLoop, UndeclaredCalls,
};
use ananke_base::context::{At, SequentialIds};
use ananke_trace::trace::Fact;

const NAME: &[Fact] = &[Fact::Calls];

/// Facts of anything that a model says.
const SAID: &[Fact] = &[Fact::Text, Fact::Calls, Fact::Results];

/// The facts and the error that the reader finds in a response with these events, which another event ends.
fn reading(events: &[&Value]) -> KeyReading {
    let ids = SequentialIds::default();
    let execution = ToolExecution::Observed;
    let mut tools = ToolLoop::new([].into(), execution, UndeclaredCalls::Rejected, &[]);
    let mut approved = Vec::new();
    let mut reader = ResponseReader::new(&ids, "m", &mut tools, &mut approved);
    let mut sink = ReadingSink::default();
    let end = json!({ "type": "response.completed", "response": { "status": "completed" } });
    // All events have the same time: nothing here depends on it.
    for event in events.iter().copied().chain([&end]) {
        if let Err(error) = reader.event(At(0), event.to_string().as_bytes(), &mut sink) {
            // The reader of a real response stops at such an error, too.
            sink.0.error = Some(error);
            return sink.0;
        }
    }
    let error = match reader.finish(&mut sink) {
        Err(error) => Some(error.message),
        // An error that the server reports is an error of the turn, so that the key counts as read.
        Ok(ModelReply::Failed) => Some("an error of the model".to_owned()),
        Ok(ModelReply::Complete(_) | ModelReply::Stopped) => None,
    };
    KeyReading { error, ..sink.0 }
}

/// The problems of an event with these rows; `before` are the events before it.
fn problems(before: &[Value], event: &Value, rows: &[KeyRow]) -> Vec<String> {
    key_problems(event, rows, |event| {
        let events: Vec<&Value> = before.iter().chain([event]).collect();
        reading(&events)
    })
}

/// The problems of a complete item: `rows` are without what is around it.
fn item_problems(before: &[Value], item: &Value, rows: &[KeyRow]) -> Vec<String> {
    key_problems(item, rows, |item| {
        let done = json!({ "type": "response.output_item.done", "output_index": 0, "item": item });
        let events: Vec<&Value> = before.iter().chain([&done]).collect();
        reading(&events)
    })
}

/// A row has a key, the kinds of values that are read, and the facts that must be unread if its value is of another kind.
#[test]
fn every_key_of_an_event_is_read_unread_or_an_error() {
    // The text of an event decides what it is, so that another kind of type makes an unknown event, which may be text.
    let sample = json!({
        "type": "response.output_text.delta", "sequence_number": 1, "item_id": "m", "output_index": 0, "content_index": 0,
        "delta": "a", "logprobs": [], "obfuscation": "x",
    });
    let rows = [
        row("/type", WORD, TEXT),
        row("/sequence_number", ANY, &[]),
        row("/item_id", ANY, &[]),
        row("/output_index", ANY, &[]),
        row("/content_index", ANY, &[]),
        row("/delta", WORD, TEXT),
        row("/logprobs", ANY, &[]),
        row("/obfuscation", ANY, &[]),
    ];
    assert_eq!(problems(&[], &sample, &rows), [""; 0]);

    let sample = json!({ "type": "response.output_text.done", "item_id": "m", "text": "a" });
    let rows = [
        row("/type", WORD, TEXT),
        row("/item_id", ANY, &[]),
        row("/text", WORD, TEXT),
    ];
    assert_eq!(problems(&[], &sample, &rows), [""; 0]);

    let call = json!({ "type": "function_call", "id": "f", "call_id": "c", "name": "pay", "arguments": "" });
    let added = json!({ "type": "response.output_item.added", "output_index": 0, "item": call });
    let sample = json!({
        "type": "response.function_call_arguments.delta", "item_id": "f", "output_index": 0, "delta": "{}",
    });
    let rows = [
        row("/type", WORD, &[]),
        row("/item_id", ANY, &[]),
        row("/output_index", ANY, &[]),
        row("/delta", WORD, &[Fact::Arguments]),
    ];
    assert_eq!(problems(&[added], &sample, &rows), [""; 0]);
}

#[test]
fn every_key_of_a_response_is_read_unread_or_an_error() {
    let part = json!({ "type": "output_text", "text": "a" });
    let message = json!({ "type": "message", "id": "m", "role": "assistant", "content": [part] });
    let sample = json!({
        "type": "response.completed",
        "response": {
            "id": "r", "object": "response", "status": "completed", "output": [message], "tools": [{ "name": "pay", "parameters": {} }],
            "usage": {
                "input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "input_tokens_details": { "cached_tokens": 1 },
            },
        },
    });
    let rows = [
        // Without a known type it is an unknown event, which may be text.
        row("/type", WORD, TEXT),
        row("/response", ITEM, SAID),
        row("/response/id", ANY, &[]),
        row("/response/object", ANY, &[]),
        row("/response/status", WORD, &[Fact::RunEnds]),
        row("/response/output", LIST, SAID),
        row("/response/output/0", ITEM, SAID),
        row("/response/output/0/type", WORD, TEXT),
        row("/response/output/0/id", ANY, &[]),
        row("/response/output/0/role", ANY, &[]),
        row("/response/output/0/content", CONTENT, TEXT),
        row("/response/output/0/content/0", ITEM, TEXT),
        row("/response/output/0/content/0/type", ANY, &[]),
        row("/response/output/0/content/0/text", WORD, TEXT),
        row("/response/tools", ANY, &[]),
        row("/response/tools/0", ANY, &[]),
        row("/response/tools/0/name", ANY, &[]),
        row("/response/tools/0/parameters", ANY, &[]),
        row("/response/usage", ITEM, &[Fact::Usage]),
        // A value that is not a number is an unknown number of tokens, which is a warning.
        row("/response/usage/input_tokens", ANY, &[]),
        row("/response/usage/output_tokens", ANY, &[]),
        row("/response/usage/total_tokens", ANY, &[]),
        // Without them, all of the input costs what input costs.
        row("/response/usage/input_tokens_details", ANY, &[]),
        row(
            "/response/usage/input_tokens_details/cached_tokens",
            ANY,
            &[],
        ),
    ];
    assert_eq!(problems(&[], &sample, &rows), [""; 0]);
}

#[test]
fn every_key_of_a_call_is_read_unread_or_an_error() {
    let sample = json!({
        "type": "function_call", "id": "f", "call_id": "c", "name": "pay", "arguments": "{}", "status": "completed",
    });
    let rows = [
        row("/type", WORD, CALL),
        row("/id", ANY, &[]),
        // Without its id, a call cannot be connected with its result.
        row("/call_id", ID, RESULT),
        row("/name", WORD, NAME),
        // Arguments may be any JSON: some servers send them as they are, not as a text.
        row("/arguments", ANY, &[Fact::Arguments]),
        row("/status", ANY, &[]),
    ];
    assert_eq!(item_problems(&[], &sample, &rows), [""; 0]);

    let sample = json!({
        "type": "mcp_call", "id": "m", "name": "roll", "server_label": "dice", "arguments": "{}", "output": "4", "status": "completed",
    });
    let rows = [
        row("/type", WORD, CALL),
        row("/id", ANY, &[]),
        row("/name", WORD, NAME),
        row("/server_label", ANY, &[]),
        row("/arguments", ANY, &[]),
        row("/output", ANY, &[]),
        row("/status", ANY, &[]),
    ];
    assert_eq!(item_problems(&[], &sample, &rows), [""; 0]);
}

#[test]
fn every_key_of_a_result_is_read_unread_or_an_error() {
    // The call comes before the result, since a result without its call is unread as a whole.
    let call = json!({ "type": "function_call", "id": "f", "call_id": "c", "name": "pay", "arguments": "{}" });
    let before = json!({ "type": "response.output_item.done", "output_index": 0, "item": call });
    let sample = json!({ "type": "function_call_output", "id": "o", "call_id": "c", "output": "ok", "status": "completed" });
    let rows = [
        row("/type", WORD, RESULT),
        row("/id", ANY, &[]),
        row("/call_id", ID, RESULT),
        row("/output", ANY, RESULT),
        row("/status", ANY, &[]),
    ];
    assert_eq!(item_problems(&[before], &sample, &rows), [""; 0]);
}

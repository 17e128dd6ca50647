//! The tables of the keys of an event, each with the test that is generated from it.
//!
//! **Invariant:** every key that the reader of this crate knows has a row.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::key_table::{
    ANY, CALL, ID, ITEM, JsonKind, KeyReading, KeyRow, LIST, RESULT, ReadingSink, TEXT, WORD,
    key_problems, row,
};
use super::message_stream_reader::MessageStreamReader;
use ananke_agents::{
    EventReader as _, ModelReader as _, ModelReply, ToolExecution, ToolLoop, UndeclaredCalls,
};
use ananke_base::context::{At, SequentialIds};
use ananke_trace::trace::Fact;

const NAME: &[Fact] = &[Fact::Calls];

/// The facts of anything that a model says.
const SAID: &[Fact] = &[Fact::Text, Fact::Calls, Fact::Results];

const ENDS: &[Fact] = &[Fact::RunEnds];

/// The facts and the error that the reader finds in a response with these events.
fn reading(events: &[&Value]) -> KeyReading {
    let ids = SequentialIds::default();
    let execution = ToolExecution::Observed;
    let mut tools = ToolLoop::new([].into(), execution, UndeclaredCalls::Rejected, &[]);
    let mut server_calls = BTreeMap::new();
    let mut reader = MessageStreamReader::new(&ids, "m", &mut tools, &mut server_calls);
    let mut sink = ReadingSink::default();
    // All events have the same time: nothing here depends on it.
    for event in events {
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

/// The problems of the keys of an event that comes after those `before` it, and before the end of the message.
fn event_problems(before: &[Value], event: &Value, rows: &[KeyRow]) -> Vec<String> {
    let stops = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } });
    let end = json!({ "type": "message_stop" });
    key_problems(event, rows, |event| {
        let events: Vec<&Value> = before.iter().chain([event, &stops, &end]).collect();
        reading(&events)
    })
}

/// `key_problems` puts a value of each JSON kind under each key of the sample. A row has the kinds that are read; of a value of
/// another kind, each fact of the row must be reported as unread, or there must be an error. There must be no problem: `[""; 0]`.
#[test]
fn every_key_of_a_message_is_read_unread_or_an_error() {
    let sample = json!({
        "type": "message_start",
        "message": {
            "id": "m", "type": "message", "role": "assistant", "model": "m", "stop_sequence": null,
            "content": [{ "type": "text", "text": "a", "citations": [] }],
            "usage": { "input_tokens": 1, "cache_read_input_tokens": 1, "cache_creation_input_tokens": 1, "output_tokens": 1 },
        },
    });
    let rows = [
        row("/type", WORD, TEXT),
        row("/message", ITEM, SAID),
        row("/message/id", ANY, &[]),
        row("/message/type", ANY, &[]),
        row("/message/role", ANY, &[]),
        row("/message/model", ANY, &[]),
        row("/message/stop_sequence", ANY, &[]),
        row("/message/content", LIST, SAID),
        row("/message/content/0", ITEM, SAID),
        row("/message/content/0/type", WORD, TEXT),
        row("/message/content/0/text", WORD, TEXT),
        row("/message/content/0/citations", ANY, &[]),
        row("/message/usage", ITEM, &[Fact::Usage]),
        // A value that is not a number is an unknown number of tokens, which is a warning.
        row("/message/usage/input_tokens", ANY, &[]),
        row("/message/usage/cache_read_input_tokens", ANY, &[]),
        row("/message/usage/cache_creation_input_tokens", ANY, &[]),
        row("/message/usage/output_tokens", ANY, &[]),
    ];
    assert_eq!(event_problems(&[], &sample, &rows), [""; 0]);

    let sample = json!({
        "type": "message_delta",
        "delta": { "stop_reason": "end_turn", "stop_sequence": "x", "stop_details": {}, "container": { "id": "c" } },
        "usage": { "output_tokens": 1 },
    });
    let rows = [
        row("/type", ANY, &[]),
        row("/delta", ITEM, ENDS),
        row("/delta/stop_reason", WORD, ENDS),
        row("/delta/stop_sequence", ANY, &[]),
        row("/delta/stop_details", ANY, &[]),
        row("/delta/container", ANY, &[]),
        row("/usage", ITEM, &[Fact::Usage]),
        row("/usage/output_tokens", ANY, &[]),
    ];
    assert_eq!(event_problems(&[], &sample, &rows), [""; 0]);
}

/// A row has a key, the kinds of values that are read, and the facts that must be unread if its value is of another kind.
#[test]
fn every_key_of_text_is_read_unread_or_an_error() {
    let sample = json!({
        "type": "content_block_delta", "index": 0,
        "delta": { "type": "text_delta", "text": "a" },
    });
    let rows = [
        row("/type", WORD, TEXT),
        // A place that is not a number is that of the newest block.
        row("/index", ANY, &[]),
        row("/delta", ITEM, SAID),
        row("/delta/type", WORD, TEXT),
        row("/delta/text", WORD, TEXT),
    ];
    assert_eq!(event_problems(&[], &sample, &rows), [""; 0]);

    // No rule is about reasoning, so that nothing is lost if it is not read.
    let sample = json!({
        "type": "content_block_start", "index": 0,
        "content_block": { "type": "thinking", "thinking": "a", "signature": "s" },
    });
    let rows = [
        row("/type", ANY, &[]),
        row("/index", ANY, &[]),
        row("/content_block", ITEM, SAID),
        row("/content_block/type", ANY, &[]),
        row("/content_block/thinking", ANY, &[]),
        row("/content_block/signature", ANY, &[]),
    ];
    assert_eq!(event_problems(&[], &sample, &rows), [""; 0]);
}

/// A row has a key, the kinds of values that are read, and the facts that must be unread if its value is of another kind.
#[test]
fn every_key_of_a_call_is_read_unread_or_an_error() {
    let call = json!({
        "type": "content_block_start", "index": 0,
        "content_block": { "type": "server_tool_use", "id": "c", "name": "pay", "input": {}, "caller": {}, "server_name": "s", "toolset_name": null },
    });
    let rows = [
        row("/type", WORD, CALL),
        row("/index", ANY, &[]),
        row("/content_block", ITEM, SAID),
        row("/content_block/type", WORD, CALL),
        // Without its id, a call cannot be connected with its result.
        row("/content_block/id", ID, RESULT),
        row("/content_block/name", WORD, NAME),
        // An input may be any JSON: some servers send it as a text.
        row("/content_block/input", ANY, CALL),
        row("/content_block/caller", ANY, &[]),
        row("/content_block/server_name", ANY, &[]),
        row("/content_block/toolset_name", ANY, &[]),
    ];
    assert_eq!(event_problems(&[], &call, &rows), [""; 0]);

    let piece = json!({
        "type": "content_block_delta", "index": 0,
        "delta": { "type": "input_json_delta", "partial_json": "{\"name\":\"x\",\"args\":{}}" },
    });
    let rows = [
        row("/type", ANY, &[]),
        row("/index", ANY, &[]),
        row("/delta", ITEM, SAID),
        row("/delta/type", ANY, &[]),
        row("/delta/partial_json", WORD, &[Fact::Arguments]),
    ];
    assert_eq!(
        event_problems(std::slice::from_ref(&call), &piece, &rows),
        [""; 0]
    );
}

/// A row has a key, the kinds of values that are read, and the facts that must be unread if its value is of another kind.
#[test]
fn every_key_of_a_result_is_read_unread_or_an_error() {
    // The call comes before the result, since a result without its call is unread as a whole.
    let call = json!({
        "type": "content_block_start", "index": 0,
        "content_block": { "type": "mcp_tool_use", "id": "c", "name": "pay", "input": {} },
    });
    let result = json!({
        "type": "content_block_start", "index": 1,
        "content_block": { "type": "mcp_tool_result", "tool_use_id": "c", "is_error": true, "content": "ok", "caller": {} },
    });
    let rows = [
        row("/type", WORD, RESULT),
        row("/index", ANY, &[]),
        row("/content_block", ITEM, SAID),
        row("/content_block/type", WORD, RESULT),
        row("/content_block/tool_use_id", ID, RESULT),
        row("/content_block/is_error", &[JsonKind::Boolean], RESULT),
        row("/content_block/content", ANY, RESULT),
        row("/content_block/caller", ANY, &[]),
    ];
    assert_eq!(event_problems(&[call], &result, &rows), [""; 0]);
}

//! The tables of the keys of events, each with the test that is generated from it.
//!
//! **Invariant:** every key of an event that the decoder knows has a row.

use std::sync::Arc;

use serde_json::{Value, json};

use super::conversation_settings::ConversationSettings;
use super::decoder::Decoder;
use super::event_reader::AguiEvents;
use super::key_table::{
    ANY, CALL, CONTENT, ID, ITEM, ITEMS, KeyReading, KeyRow, LIST, RESULT, ReadingSink, TEXT, WORD,
    key_problems, row,
};
use super::run_state::RequestPurpose;
use super::thread_state::ThreadState;
use crate::messages::{CallIds, History};
use ananke_agents::EventReader as _;
use ananke_base::context::{At, SequentialIds};
use ananke_trace::trace::{Fact, State};

const ALL: &[Fact] = &[Fact::Calls, Fact::Text, Fact::Results];
const ENDS: &[Fact] = &[Fact::RunEnds];
const INTERRUPTS: &[Fact] = &[Fact::Interrupts];

/// What came of a response of these events.
fn reading(events: &[&Value]) -> KeyReading {
    let mut conversation = ThreadState {
        thread_id: "t".to_owned(),
        history: History::default(),
        calls: CallIds::default(),
        user_message: None,
        state: State::new(json!({ "a": 1 })),
        state_is_known: false,
        legacy_interrupts: false,
        is_begun: true,
        client_tools: Arc::new([]),
        ids: Arc::new(SequentialIds::default()),
    };
    conversation.calls.start_turn();
    let settings = ConversationSettings::default();
    let mut decoder = Decoder::new("r".to_owned(), RequestPurpose::Run, 0, &settings);
    let mut sink = ReadingSink::default();
    let mut reader = AguiEvents {
        decoder: &mut decoder,
        conversation: &mut conversation,
    };
    for event in events {
        if let Err(error) = reader.event(At(0), event.to_string().as_bytes(), &mut sink) {
            sink.0.error = Some(error);
            return sink.0;
        }
    }
    if !decoder.is_ended() {
        sink.0.error = Some("the run has no end".to_owned());
    }
    sink.0
}

/// The problems of the keys of an event in a run, after these events and before those.
fn problems(before: &[Value], sample: &Value, after: &[Value], rows: &[KeyRow]) -> Vec<String> {
    let start = json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" });
    let end = json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r" });
    let rows = [&[row("/type", WORD, ALL)], rows].concat();
    key_problems(sample, &rows, |event| {
        let events = std::iter::once(&start)
            .chain(before)
            .chain([event])
            .chain(after);
        let events: Vec<&Value> = events.chain([&end]).collect();
        let mut reading = reading(&events);
        // An event of a type that is not known is one without effect.
        let kind = event["type"].as_str();
        if kind != sample["type"].as_str() && reading.error.is_none() {
            reading.error = kind.map(str::to_owned);
        }
        reading
    })
}

/// The problems but that of a key whose null means something.
fn without_null(mut problems: Vec<String>, pointer: &str) -> Vec<String> {
    let is_null = format!("`{pointer}` is null");
    problems.retain(|problem| !problem.starts_with(&is_null));
    problems
}

fn call(id: &str) -> Vec<Value> {
    vec![
        json!({ "type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "pay" }),
        json!({ "type": "TOOL_CALL_END", "toolCallId": id }),
    ]
}

#[test]
fn every_key_of_a_message_is_read_unread_or_an_error() {
    let start = json!({ "type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant" });
    let content = json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "a" });
    let end = json!({ "type": "TEXT_MESSAGE_END", "messageId": "m" });
    let id = row("/messageId", ID, TEXT);
    let delta = row("/delta", ANY, TEXT);
    let rest = [content.clone(), end.clone()];
    let rows = [id, row("/role", ID, TEXT)];
    assert_eq!(problems(&[], &start, &rest, &rows), [""; 0]);
    let before = [start.clone()];
    let after = [end.clone()];
    assert_eq!(problems(&before, &content, &after, &[id, delta]), [""; 0]);
    assert_eq!(problems(&[start, content], &end, &[], &[id]), [""; 0]);
    let chunk = json!({ "type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "assistant", "delta": "a" });
    let rows = [id, row("/role", ID, TEXT), delta];
    assert_eq!(problems(&[], &chunk, &[], &rows), [""; 0]);
}

#[test]
fn every_key_of_a_call_is_read_unread_or_an_error() {
    let start = json!({ "type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "pay", "parentMessageId": "m" });
    let args = json!({ "type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}" });
    let end = json!({ "type": "TOOL_CALL_END", "toolCallId": "c" });
    let id = row("/toolCallId", ID, CALL);
    let delta = row("/delta", ANY, CALL);
    let name = row("/toolCallName", ID, CALL);
    let rows = [id, name, row("/parentMessageId", ANY, &[])];
    let rest = [args.clone(), end.clone()];
    assert_eq!(problems(&[], &start, &rest, &rows), [""; 0]);
    let before = [start.clone()];
    let after = [end.clone()];
    assert_eq!(problems(&before, &args, &after, &[id, delta]), [""; 0]);
    assert_eq!(problems(&[start, args], &end, &[], &[id]), [""; 0]);
    let chunk = json!({ "type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "pay", "delta": "{}" });
    assert_eq!(problems(&[], &chunk, &[], &[id, name, delta]), [""; 0]);
}

#[test]
fn every_key_of_a_result_is_read_unread_or_an_error() {
    let sample = json!({ "type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "m", "content": "a", "error": "b" });
    let rows = [
        row("/toolCallId", ID, RESULT),
        row("/messageId", ID, RESULT),
        row("/content", ANY, RESULT),
        row("/error", ANY, RESULT),
    ];
    assert_eq!(problems(&call("c"), &sample, &[], &rows), [""; 0]);
}

#[test]
fn every_key_of_a_state_is_read_unread_or_an_error() {
    let state: &[Fact] = &[Fact::State];
    let sample = json!({ "type": "STATE_SNAPSHOT", "snapshot": { "a": 2 } });
    let found = problems(&[], &sample, &[], &[row("/snapshot", ANY, state)]);
    assert_eq!(without_null(found, "/snapshot"), [""; 0]);
    let sample =
        json!({ "type": "STATE_DELTA", "delta": [{ "op": "replace", "path": "/a", "value": 2 }] });
    let rows = [
        row("/delta", LIST, state),
        row("/delta/0", ITEM, state),
        row("/delta/0/op", WORD, state),
        row("/delta/0/path", WORD, state),
        row("/delta/0/value", ANY, state),
    ];
    // Null is a value.
    let found = problems(&[], &sample, &[], &rows);
    assert_eq!(without_null(found, "/delta/0/value"), [""; 0]);
}

#[test]
fn every_key_of_an_end_is_read_unread_or_an_error() {
    let start = json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" });
    let of_run = |sample: &Value, rows: &[KeyRow]| {
        key_problems(sample, rows, |end| {
            let mut reading = reading(&[&start, end]);
            let kind = end["type"].as_str();
            if kind != sample["type"].as_str() && reading.error.is_none() {
                reading.error = kind.map(str::to_owned);
            }
            reading
        })
    };
    let interrupts =
        json!([{ "id": "i", "reason": "confirm", "message": "Pay?", "toolCallId": "c" }]);
    let outcome = json!({ "type": "interrupt", "interrupts": interrupts });
    let usage = json!({
        "model": "m", "inputTokens": 1, "cachedInputTokens": 1, "outputTokens": 1, "totalTokens": 2,
    });
    let sample = json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome, "usage": usage });
    let rows = [
        row("/type", WORD, ALL),
        row("/threadId", ANY, &[]),
        row("/runId", ANY, &[]),
        // Any other outcome is one that no rule expects.
        row("/outcome", ANY, ENDS),
        row("/outcome/type", ANY, ENDS),
        row("/outcome/interrupts", LIST, INTERRUPTS),
        row("/outcome/interrupts/0", ITEM, INTERRUPTS),
        row("/outcome/interrupts/0/id", ID, INTERRUPTS),
        row("/outcome/interrupts/0/reason", WORD, INTERRUPTS),
        row("/outcome/interrupts/0/message", WORD, INTERRUPTS),
        row("/outcome/interrupts/0/toolCallId", WORD, INTERRUPTS),
        row("/usage", ITEMS, &[Fact::Usage]),
        // Others are unknown numbers of tokens.
        row("/usage/model", ANY, &[]),
        row("/usage/inputTokens", ANY, &[]),
        row("/usage/cachedInputTokens", ANY, &[]),
        row("/usage/outputTokens", ANY, &[]),
        row("/usage/totalTokens", ANY, &[]),
    ];
    // Either is an unknown outcome, which is quoted.
    let found = of_run(&sample, &rows);
    assert_eq!(without_null(found, "/outcome/type"), [""; 0]);
    let sample = json!({ "type": "RUN_ERROR", "message": "a", "code": "b" });
    let rows = [
        row("/type", WORD, ALL),
        row("/message", ANY, TEXT),
        row("/code", ID, ENDS),
    ];
    assert_eq!(of_run(&sample, &rows), [""; 0]);
}

#[test]
fn every_key_of_a_snapshot_is_read_unread_or_an_error() {
    let function = json!({ "name": "pay", "arguments": "{}" });
    let calls = json!([{ "id": "c", "type": "function", "function": function }]);
    let sample = json!({ "type": "MESSAGES_SNAPSHOT", "messages": [
        { "id": "m", "role": "assistant", "content": "a", "toolCalls": calls },
        { "id": "p", "role": "assistant", "content": [{ "type": "text", "text": "b" }] },
        { "id": "r", "role": "tool", "toolCallId": "c", "content": "ok", "error": "no" },
    ] });
    let rows = [
        row("/messages", LIST, ALL),
        row("/messages/0", ITEM, ALL),
        row("/messages/0/id", ANY, &[]),
        row("/messages/0/role", WORD, ALL),
        row("/messages/0/content", CONTENT, TEXT),
        row("/messages/0/toolCalls", LIST, CALL),
        row("/messages/0/toolCalls/0", ITEM, CALL),
        row("/messages/0/toolCalls/0/id", ID, CALL),
        row("/messages/0/toolCalls/0/type", ANY, &[]),
        row("/messages/0/toolCalls/0/function", ITEM, CALL),
        row("/messages/0/toolCalls/0/function/name", WORD, CALL),
        row("/messages/0/toolCalls/0/function/arguments", ANY, CALL),
        row("/messages/1", ITEM, ALL),
        row("/messages/1/id", ANY, &[]),
        row("/messages/1/role", WORD, ALL),
        row("/messages/1/content", CONTENT, TEXT),
        row("/messages/1/content/0", ITEM, TEXT),
        row("/messages/1/content/0/type", ANY, &[]),
        row("/messages/1/content/0/text", WORD, TEXT),
        row("/messages/2", ITEM, ALL),
        row("/messages/2/id", ANY, &[]),
        row("/messages/2/role", WORD, ALL),
        row("/messages/2/toolCallId", ID, RESULT),
        row("/messages/2/content", ANY, RESULT),
        row("/messages/2/error", ANY, RESULT),
    ];
    assert_eq!(problems(&[], &sample, &[], &rows), [""; 0]);
}

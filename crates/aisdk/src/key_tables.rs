//! The tables of the keys of chunks, each with the test that is generated from it.
//!
//! **Invariant:** every key of a chunk that the reader knows has a row.

use std::sync::Arc;

use serde_json::{Value, json};

use super::chat::Chat;
use super::key_table::{
    ANY, CALL, ID, JsonKind, KeyReading, KeyRow, RESULT, ReadingSink, TEXT, WORD, key_problems, row,
};
use super::stream_reader::UiStreamReader;
use ananke_agents::EventReader as _;
use ananke_base::context::{At, SequentialIds};
use ananke_trace::trace::Fact;

const NAME: &[Fact] = &[Fact::Calls];
const ENDS: &[Fact] = &[Fact::RunEnds];
const INTERRUPTS: &[Fact] = &[Fact::Interrupts];
const FLAG: &[JsonKind] = &[JsonKind::Boolean];

/// The facts and the error that the reader finds in a stream of these chunks, which a `finish` ends.
fn reading(chunks: &[&Value]) -> KeyReading {
    let mut chat = Chat::empty("c", Arc::new(SequentialIds::default()));
    let mut reader = UiStreamReader::new(&mut chat);
    let mut sink = ReadingSink::default();
    let end = json!({ "type": "finish" });
    for chunk in chunks.iter().copied().chain([&end]) {
        if let Err(error) = reader.event(At(0), chunk.to_string().as_bytes(), &mut sink) {
            sink.0.error = Some(error);
            return sink.0;
        }
    }
    let _flow = reader.finish(&mut sink);
    // An error that the backend reports is an error of the turn.
    if sink.0.read.contains("RunEnded(Error") {
        sink.0.error = Some("an error of the agent".to_owned());
    }
    sink.0
}

/// The problems of the keys of a chunk after these chunks. The type says what a chunk is: without a known one it is unread.
fn problems(
    before: &[Value],
    sample: &Value,
    of_type: &'static [Fact],
    rows: &[KeyRow],
) -> Vec<String> {
    let rows = [&[row("/type", WORD, of_type)], rows].concat();
    key_problems(sample, &rows, |chunk| {
        let chunks: Vec<&Value> = before.iter().chain([chunk]).collect();
        reading(&chunks)
    })
}

/// A call that has begun.
fn call() -> Vec<Value> {
    vec![
        json!({ "type": "tool-input-available", "toolCallId": "c", "toolName": "pay", "input": {} }),
    ]
}

#[test]
fn every_key_of_a_text_is_read_unread_or_an_error() {
    let start = json!({ "type": "text-start", "id": "t" });
    let sample =
        json!({ "type": "text-delta", "id": "t", "delta": "a", "providerMetadata": { "p": {} } });
    let rows = [
        row("/id", ANY, &[]),
        row("/delta", WORD, TEXT),
        row("/providerMetadata", ANY, &[]),
    ];
    assert_eq!(
        problems(std::slice::from_ref(&start), &sample, &[], &rows),
        [""; 0]
    );
    let sample = json!({ "type": "text-end", "id": "t", "citations": [{}] });
    let rows = [row("/id", ANY, &[]), row("/citations", ANY, &[])];
    assert_eq!(problems(&[start], &sample, &[], &rows), [""; 0]);
    let sample = json!({ "type": "reasoning-delta", "id": "r", "delta": "a" });
    let rows = [row("/id", ANY, &[]), row("/delta", ANY, &[])];
    assert_eq!(problems(&[], &sample, &[], &rows), [""; 0]);
}

#[test]
fn every_key_of_an_input_is_read_unread_or_an_error() {
    let sample = json!({
        "type": "tool-input-available", "toolCallId": "c", "toolName": "pay", "input": { "sum": 1 }, "dynamic": true, "title": "Pay",
        "providerExecuted": true, "providerMetadata": {}, "toolMetadata": {},
    });
    let rows = [
        row("/toolCallId", ID, RESULT),
        row("/toolName", WORD, NAME),
        row("/input", ANY, &[]),
        row("/dynamic", ANY, &[]),
        row("/title", ANY, &[]),
        row("/providerExecuted", ANY, &[]),
        row("/providerMetadata", ANY, &[]),
        row("/toolMetadata", ANY, &[]),
    ];
    assert_eq!(problems(&[], &sample, CALL, &rows), [""; 0]);
    let sample = json!({ "type": "tool-input-error", "toolCallId": "c", "toolName": "pay", "input": "{", "errorText": "no" });
    let rows = [
        row("/toolCallId", ID, RESULT),
        row("/toolName", WORD, NAME),
        row("/input", ANY, &[]),
        row("/errorText", WORD, RESULT),
    ];
    assert_eq!(problems(&[], &sample, CALL, &rows), [""; 0]);
    let start = json!({ "type": "tool-input-start", "toolCallId": "c", "toolName": "pay" });
    let sample = json!({ "type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "{}" });
    let rows = [
        row("/toolCallId", ID, RESULT),
        row("/inputTextDelta", WORD, &[Fact::Arguments]),
    ];
    assert_eq!(problems(&[start], &sample, &[], &rows), [""; 0]);
    let sample = json!({ "type": "tool-input-start", "toolCallId": "c", "toolName": "pay", "inputEncoding": "json" });
    let rows = [
        row("/toolCallId", ID, RESULT),
        row("/toolName", WORD, NAME),
        row("/inputEncoding", ANY, &[]),
    ];
    assert_eq!(problems(&[], &sample, NAME, &rows), [""; 0]);
}

#[test]
fn every_key_of_an_outcome_is_read_unread_or_an_error() {
    let sample = json!({
        "type": "tool-output-available", "toolCallId": "c", "output": "ok", "preliminary": true, "dynamic": false,
        "providerExecuted": false, "providerMetadata": {}, "toolMetadata": {},
    });
    let rows = [
        row("/toolCallId", ID, RESULT),
        row("/output", ANY, &[]),
        row("/preliminary", FLAG, RESULT),
        row("/dynamic", ANY, &[]),
        row("/providerExecuted", ANY, &[]),
        row("/providerMetadata", ANY, &[]),
        row("/toolMetadata", ANY, &[]),
    ];
    assert_eq!(problems(&call(), &sample, RESULT, &rows), [""; 0]);
    let sample = json!({ "type": "tool-output-error", "toolCallId": "c", "errorText": "no" });
    let rows = [
        row("/toolCallId", ID, RESULT),
        row("/errorText", WORD, RESULT),
    ];
    assert_eq!(problems(&call(), &sample, RESULT, &rows), [""; 0]);
    let sample = json!({ "type": "tool-output-denied", "toolCallId": "c" });
    let rows = [row("/toolCallId", ID, RESULT)];
    assert_eq!(problems(&call(), &sample, RESULT, &rows), [""; 0]);
}

#[test]
fn every_key_of_an_approval_is_read_unread_or_an_error() {
    let sample = json!({
        "type": "tool-approval-request", "approvalId": "a", "toolCallId": "c", "reason": "dear", "isAutomatic": true,
        "signature": "s", "approvalDescriptor": {}, "inputSchemaInput": {},
    });
    let rows = [
        row("/approvalId", ID, INTERRUPTS),
        row("/toolCallId", ID, INTERRUPTS),
        row("/reason", ANY, &[]),
        row("/isAutomatic", FLAG, INTERRUPTS),
        row("/signature", ANY, &[]),
        row("/approvalDescriptor", ANY, &[]),
        row("/inputSchemaInput", ANY, &[]),
    ];
    // What is unknown is never taken for a question.
    assert_eq!(problems(&call(), &sample, RESULT, &rows), [""; 0]);
}

#[test]
fn every_key_of_an_end_is_read_unread_or_an_error() {
    let sample =
        json!({ "type": "finish", "finishReason": "length", "messageMetadata": { "a": 1 } });
    let rows = [
        row("/finishReason", WORD, ENDS),
        row("/messageMetadata", ANY, &[]),
    ];
    assert_eq!(problems(&[], &sample, &[], &rows), [""; 0]);
    let sample = json!({ "type": "start", "messageId": "m", "messageMetadata": { "a": 1 } });
    let rows = [
        row("/messageId", ANY, &[]),
        row("/messageMetadata", ANY, &[]),
    ];
    assert_eq!(problems(&[], &sample, &[], &rows), [""; 0]);
}

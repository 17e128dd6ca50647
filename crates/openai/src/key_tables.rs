//! The tables of the keys of a chunk, each with the test that is generated from it.
//!
//! **Invariant:** every key that the reader of this crate knows has a row.

use serde_json::{Value, json};

use super::key_table::{
    ANY, CALL, CONTENT, ID, ITEM, ITEMS, KeyReading, KeyRow, LIST, RESULT, ReadingSink, TEXT, WORD,
    key_problems, row,
};
use super::reply_reader::ReplyReader;
use ananke_agents::http::StreamReader as _;
use ananke_agents::{
    EventReader as _, ModelReader as _, ModelReply, ToolExecution, ToolLoop, UndeclaredCalls,
};
use ananke_base::context::{At, SequentialIds};
use ananke_trace::trace::Fact;

const NAME: &[Fact] = &[Fact::Calls];

/// The facts and the error that the reader finds in a response with these chunks, which `[DONE]` ends.
fn reading(chunks: &[&Value]) -> KeyReading {
    let ids = SequentialIds::default();
    let execution = ToolExecution::Observed;
    let mut tools = ToolLoop::new([].into(), execution, UndeclaredCalls::Rejected, &[]);
    let mut reader = ReplyReader::new(&ids, "m", &mut tools);
    let mut sink = ReadingSink::default();
    // All events have the same time: nothing here depends on it.
    for chunk in chunks {
        if let Err(error) = reader.event(At(0), chunk.to_string().as_bytes(), &mut sink) {
            // The reader of a real response stops at such an error, too.
            sink.0.error = Some(error);
            return sink.0;
        }
    }
    reader.end_mark(At(0));
    let error = match reader.finish(&mut sink) {
        Err(error) => Some(error.message),
        // An error that the server reports is an error of the turn, so that the key counts as read.
        Ok(ModelReply::Failed) => Some("an error of the model".to_owned()),
        Ok(ModelReply::Complete(_) | ModelReply::Stopped) => None,
    };
    KeyReading { error, ..sink.0 }
}

/// A chunk with this delta.
fn chunk(delta: &Value) -> Value {
    json!({ "choices": [{ "delta": delta, "finish_reason": "stop" }] })
}

/// The problems of the keys of a delta: `rows` are without what is around it.
fn delta_problems(before: &[Value], delta: &Value, rows: &[KeyRow]) -> Vec<String> {
    key_problems(delta, rows, |delta| {
        let chunk = chunk(delta);
        let chunks: Vec<&Value> = before.iter().chain([&chunk]).collect();
        reading(&chunks)
    })
}

/// `key_problems` puts a value of each JSON kind under each key of the sample. A row has the kinds that are read; of a value of
/// another kind, each fact of the row must be reported as unread, or there must be an error. There must be no problem: `[""; 0]`.
#[test]
fn every_key_of_a_chunk_is_read_unread_or_an_error() {
    // The content of a choice may be anything that a model sends.
    let any_content: &[Fact] = &[Fact::Text, Fact::Calls, Fact::Results];
    let sample = json!({
        "id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{ "index": 0, "delta": { "content": "a" }, "finish_reason": "stop", "logprobs": {} }],
        "usage": {
            "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2,
            "prompt_tokens_details": { "cached_tokens": 1 },
        },
    });
    let rows = [
        row("/id", ANY, &[]),
        row("/object", ANY, &[]),
        row("/created", ANY, &[]),
        row("/model", ANY, &[]),
        row("/choices", LIST, any_content),
        row("/choices/0", ITEM, any_content),
        // An index that is not a number counts as 0, the index of the choice that is read.
        row("/choices/0/index", ANY, &[]),
        row("/choices/0/delta", ITEM, any_content),
        row("/choices/0/delta/content", CONTENT, TEXT),
        row("/choices/0/finish_reason", WORD, &[Fact::RunEnds]),
        row("/choices/0/logprobs", ANY, &[]),
        row("/usage", ITEM, &[Fact::Usage]),
        // A value that is not a number is an unknown number of tokens, which is a warning.
        row("/usage/prompt_tokens", ANY, &[]),
        row("/usage/completion_tokens", ANY, &[]),
        row("/usage/total_tokens", ANY, &[]),
        // Without them, all of the input costs what input costs.
        row("/usage/prompt_tokens_details", ANY, &[]),
        row("/usage/prompt_tokens_details/cached_tokens", ANY, &[]),
    ];
    assert_eq!(
        key_problems(&sample, &rows, |chunk| reading(&[chunk])),
        [""; 0]
    );

    // Some servers send a whole message instead of a delta.
    let sample = json!({ "choices": [{ "message": { "content": "a" }, "finish_reason": "stop" }] });
    let rows = [
        row("/choices", LIST, any_content),
        row("/choices/0", ITEM, any_content),
        row("/choices/0/message", ITEM, any_content),
        row("/choices/0/message/content", CONTENT, TEXT),
        row("/choices/0/finish_reason", WORD, &[Fact::RunEnds]),
    ];
    assert_eq!(
        key_problems(&sample, &rows, |chunk| reading(&[chunk])),
        [""; 0]
    );
}

/// A row has a key, the kinds of values that are read, and the facts that must be unread if its value is of another kind.
#[test]
fn every_key_of_a_delta_is_read_unread_or_an_error() {
    let sample = json!({
        "role": "assistant", "refusal": "a", "reasoning": "b", "reasoning_content": "b",
        "audio": { "data": "UklGRg==" },
    });
    let rows = [
        // The role decides whether the content is a text or the result of a tool.
        row("/role", WORD, &[Fact::Text, Fact::Results]),
        row("/refusal", WORD, TEXT),
        // No rule is about reasoning, so that nothing is lost if it is not read.
        row("/reasoning", ANY, &[]),
        row("/reasoning_content", ANY, &[]),
        row("/audio", ITEM, TEXT),
        row("/audio/data", ANY, &[]),
    ];
    assert_eq!(delta_problems(&[], &sample, &rows), [""; 0]);

    // The same key as a list of parts, because a key has one value in each sample.
    let sample = json!({ "content": [{ "type": "text", "text": "a" }] });
    let rows = [
        row("/content", CONTENT, TEXT),
        row("/content/0", ITEM, TEXT),
        row("/content/0/type", ANY, &[]),
        row("/content/0/text", WORD, TEXT),
    ];
    assert_eq!(delta_problems(&[], &sample, &rows), [""; 0]);
}

/// A row has a key, the kinds of values that are read, and the facts that must be unread if its value is of another kind.
#[test]
fn every_key_of_a_call_is_read_unread_or_an_error() {
    // The API has two forms of a tool, whose calls differ in one key.
    for key in ["function", "custom"] {
        let function = json!({ "name": "pay", "arguments": "{}" });
        let call =
            json!({ "index": 0, "id": "c", "type": "function", "result": "ok", key: function });
        let rows = [
            row("/tool_calls", ITEMS, CALL),
            row("/tool_calls/0", ITEM, CALL),
            row("/tool_calls/0/index", ANY, &[]),
            // Without its id, a call cannot be connected with its result.
            row("/tool_calls/0/id", ID, RESULT),
            row("/tool_calls/0/type", ANY, &[]),
            row("/tool_calls/0/result", ANY, RESULT),
            // A row needs a static text, so that both names are written here and below.
            row(
                if key == "custom" {
                    "/tool_calls/0/custom"
                } else {
                    "/tool_calls/0/function"
                },
                ITEM,
                CALL,
            ),
        ];
        let inner = if key == "custom" {
            [
                row("/tool_calls/0/custom/name", WORD, NAME),
                row("/tool_calls/0/custom/arguments", ANY, CALL),
            ]
        } else {
            [
                row("/tool_calls/0/function/name", WORD, NAME),
                // Arguments may be any JSON: some servers send them as they are, not as a text.
                row("/tool_calls/0/function/arguments", ANY, CALL),
            ]
        };
        let rows = [&rows[..], &inner].concat();
        let sample = json!({ "tool_calls": [call] });
        assert_eq!(delta_problems(&[], &sample, &rows), [""; 0]);
    }
    // Before an answer could have several calls, it had a single function.
    let sample = json!({ "function_call": { "name": "pay", "arguments": "{}" } });
    let rows = [
        row("/function_call", ITEM, CALL),
        row("/function_call/name", WORD, NAME),
        row("/function_call/arguments", ANY, CALL),
    ];
    assert_eq!(delta_problems(&[], &sample, &rows), [""; 0]);
}

/// A row has a key, the kinds of values that are read, and the facts that must be unread if its value is of another kind.
#[test]
fn every_key_of_a_result_is_read_unread_or_an_error() {
    // The call comes in a chunk before the result, since a result without its call is unread as a whole.
    let function = json!({ "name": "pay", "arguments": "{}" });
    let call = json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "id": "c", "function": function }] } }] });
    let sample = json!({ "role": "tool", "tool_call_id": "c", "name": "pay", "content": "ok" });
    let rows = [
        row("/role", WORD, &[Fact::Text, Fact::Results]),
        row("/tool_call_id", ID, RESULT),
        row("/name", WORD, NAME),
        row("/content", ANY, RESULT),
    ];
    assert_eq!(
        delta_problems(std::slice::from_ref(&call), &sample, &rows),
        [""; 0]
    );

    // The same result with its content as a list of parts.
    let parts = json!([{ "type": "text", "text": "ok" }]);
    let sample = json!({ "tool_call_id": "c", "content": parts });
    let rows = [
        row("/tool_call_id", ID, RESULT),
        row("/content", ANY, RESULT),
        row("/content/0", ITEM, RESULT),
        row("/content/0/type", ANY, &[]),
        row("/content/0/text", WORD, RESULT),
    ];
    assert_eq!(delta_problems(&[call], &sample, &rows), [""; 0]);
}

#[test]
fn the_text_of_a_completion_without_a_chat_is_unread() {
    let text = json!({ "choices": [{ "text": "a", "delta": {}, "finish_reason": "stop" }] });
    let read = reading(&[&text]);
    assert!(
        read.unread.iter().any(|facts| facts.has(Fact::Text)),
        "{read:?}"
    );
}

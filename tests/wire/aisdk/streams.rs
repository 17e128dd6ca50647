//! Streams in every form in which backends write them.

use serde_json::{Value, json};

use super::{assert_read, bare, input, output, read, stream, text, unmarked};

const SAID: &str = "run\nassistant: Hello\nfinished";

/// The chunks of several lists, one after the other.
fn chunks(lists: &[&[Value]]) -> Vec<Value> {
    lists.concat()
}

fn delta(id: &str, text: &str) -> Value {
    json!({ "type": "text-delta", "id": id, "delta": text })
}

#[tokio::test]
async fn the_end_is_the_mark_or_the_end_of_the_response() {
    let said = text("1", "Hello");
    let finish = json!({ "type": "finish", "finishReason": "stop" });
    for (name, body) in [
        ("with the mark alone", stream(&said)),
        (
            "with `finish` alone",
            unmarked(&chunks(&[&said, std::slice::from_ref(&finish)])),
        ),
        (
            "with text after `finish`",
            stream(&chunks(&[std::slice::from_ref(&finish), &said])),
        ),
        (
            "with both",
            stream(&chunks(&[
                &[bare("start")],
                &said,
                std::slice::from_ref(&finish),
            ])),
        ),
        (
            "with comments",
            format!(": stream-open\n\n{}: keep-alive\n\n", stream(&said)),
        ),
        ("without blanks", stream(&said).replace("data: ", "data:")),
    ] {
        assert_read(name, &body, SAID).await;
    }
    assert_read("the mark alone", "data: [DONE]\n\n", "run\nfinished").await;
    let cut = read("neither", &unmarked(&said)).await;
    let message = cut.ended.expect_err("a cut stream").message;
    assert_eq!(
        message,
        "the stream ended without `finish` and without `[DONE]`"
    );
}

#[tokio::test]
async fn every_reason_for_an_end_has_its_meaning() {
    let finish = |reason: &str| json!({ "type": "finish", "finishReason": reason });
    let error = json!({ "type": "error", "errorText": "An error occurred." });
    for (name, last, expected) in [
        ("stop", vec![finish("stop")], "finished"),
        ("calls", vec![finish("tool-calls")], "finished"),
        ("a new reason", vec![finish("paused")], "finished"),
        ("no reason", vec![bare("finish")], "finished"),
        ("length", vec![finish("length")], "truncated\nfinished"),
        ("filter", vec![finish("content-filter")], "unknown end"),
        (
            "abort",
            vec![json!({ "type": "abort", "reason": "stopped" })],
            "cancelled",
        ),
        (
            "error alone",
            vec![error.clone()],
            "error None: An error occurred.",
        ),
        (
            "error, then the end",
            vec![error.clone(), finish("error")],
            "error None: An error occurred.",
        ),
        (
            "two errors",
            vec![error.clone(), json!({ "type": "error", "errorText": "b" })],
            "error None: An error occurred.",
        ),
        (
            "the reason alone",
            vec![finish("error")],
            "error None: the stream has the `finishReason` error, and no error",
        ),
    ] {
        let body = unmarked(&chunks(&[&text("1", "Hello"), &last]));
        assert_read(name, &body, &format!("run\nassistant: Hello\n{expected}")).await;
    }
}

#[tokio::test]
async fn text_is_read_by_its_id() {
    let warning = "! `text-delta` came without `text-start`: the official client fails at it";
    let late = "! text came after its end: it is added to the same part";
    let start = |id: &str| json!({ "type": "text-start", "id": id });
    for (name, list, expected) in [
        (
            "interleaved",
            vec![
                start("a"),
                start("b"),
                delta("a", "1"),
                delta("b", "2"),
                delta("a", "3"),
            ],
            "assistant: 13\nassistant: 2".to_owned(),
        ),
        (
            "the same id in two steps",
            chunks(&[
                &[bare("start-step")],
                &text("1", "a"),
                &[bare("finish-step"), bare("start-step")],
                &text("1", "b"),
                &[bare("finish-step")],
            ]),
            "assistant: a\nassistant: b".to_owned(),
        ),
        (
            "a number as the id",
            vec![
                json!({ "type": "text-start", "id": 1 }),
                json!({ "type": "text-delta", "id": 1, "delta": "a" }),
            ],
            "assistant: a".to_owned(),
        ),
        (
            "without a start",
            vec![delta("1", "a"), delta("1", "b")],
            format!("{warning}\nassistant: ab"),
        ),
        (
            "a new id for each piece",
            vec![delta("1", "a"), delta("2", "b")],
            format!("{warning}\nassistant: ab"),
        ),
        (
            "without a start, and with something else between",
            vec![
                delta("1", "a"),
                input("c", "pay", &json!({})),
                delta("2", "b"),
            ],
            format!("{warning}\nassistant: a\ncall c: pay({{}})\n{warning}\nassistant: b"),
        ),
        (
            "after its end",
            chunks(&[&text("1", "a"), &[delta("1", "b")]]),
            format!("assistant: ab\n{late}"),
        ),
        (
            "reasoning",
            vec![
                json!({ "type": "reasoning-start", "id": "r" }),
                json!({ "type": "reasoning-delta", "id": "r", "delta": "hm" }),
            ],
            "thinks: hm".to_owned(),
        ),
        (
            "a message of the user",
            vec![
                json!({ "type": "steering-message", "id": "u", "parts": [{ "type": "text", "text": "Stop" }] }),
            ],
            String::new(),
        ),
    ] {
        let expected = if expected.is_empty() {
            "run\nfinished".to_owned()
        } else {
            format!("run\n{expected}\nfinished")
        };
        assert_read(name, &stream(&list), &expected).await;
    }
}

#[tokio::test]
async fn calls_are_read_in_every_form() {
    let start = json!({ "type": "tool-input-start", "toolCallId": "c", "toolName": "pay" });
    let piece = |text: &str| json!({ "type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": text });
    for (name, list, expected) in [
        (
            "whole",
            vec![
                input("c", "pay", &json!({ "eur": 1 })),
                output("c", &json!("ok")),
            ],
            "call c: pay({\"eur\":1})\n  = text ok",
        ),
        (
            "the whole beats its pieces",
            vec![
                start.clone(),
                piece("{\"eur\": 1"),
                input("c", "pay", &json!({ "eur": 2 })),
            ],
            "call c: pay({\"eur\":2})",
        ),
        (
            "pieces alone",
            vec![start.clone(), piece("{\"eur\":"), piece("1}")],
            "call c: pay({\"eur\":1})",
        ),
        (
            "a result without the whole input",
            vec![start.clone(), piece("{}"), output("c", &json!(null))],
            "call c: pay({})\n  = json null",
        ),
        (
            "preliminary results",
            vec![
                input("c", "pay", &json!({})),
                json!({ "type": "tool-output-available", "toolCallId": "c", "output": 1, "preliminary": true }),
                output("c", &json!(2)),
            ],
            "call c: pay({})\n  = json 2",
        ),
        (
            "the same id again after its result",
            vec![
                input("c", "pay", &json!({})),
                output("c", &json!(1)),
                input("c", "pay", &json!({})),
                output("c", &json!(2)),
            ],
            "call c: pay({})\n  = json 1\ncall c#2: pay({})\n  = json 2",
        ),
        (
            "the same id for another tool",
            vec![
                input("c", "pay", &json!({})),
                input("c", "look", &json!({})),
            ],
            "call c: pay({})\ncall c#2: look({})",
        ),
        (
            "a text as the input",
            vec![
                json!({ "type": "tool-input-start", "toolCallId": "c", "toolName": "run", "inputEncoding": "text" }),
                piece("ls"),
                input("c", "run", &json!("ls")),
            ],
            "call c: run({\"input\":\"ls\"})",
        ),
        (
            "an error of the input",
            vec![
                json!({ "type": "tool-input-error", "toolCallId": "c", "toolName": "fly", "input": {}, "errorText": "no such tool", "dynamic": true }),
            ],
            "call c: fly({})\n  = text no such tool (error)",
        ),
        (
            "an error of the tool",
            vec![
                input("c", "pay", &json!({})),
                json!({ "type": "tool-output-error", "toolCallId": "c", "errorText": "down" }),
            ],
            "call c: pay({})\n  = text down (error)",
        ),
        (
            "a policy of the backend",
            vec![
                input("c", "pay", &json!({})),
                json!({ "type": "tool-approval-request", "approvalId": "a", "toolCallId": "c", "isAutomatic": true }),
                json!({ "type": "tool-approval-response", "approvalId": "a", "approved": false, "reason": "too dear" }),
                json!({ "type": "tool-output-denied", "toolCallId": "c" }),
            ],
            "call c: pay({})\n  = text too dear (error) (denied)",
        ),
        (
            "an outcome of no call",
            vec![output("x", &json!(1))],
            "`result:x` was not read: the call is not in the chat",
        ),
        (
            "a piece of no call",
            vec![piece("{}")],
            "`call:c` was not read: a piece of its input came, but not its beginning",
        ),
        (
            "an event of the application",
            vec![json!({ "type": "data-cart", "id": "1", "data": { "items": 2 } })],
            "custom data-cart: {\"items\":2}",
        ),
        (
            "an unknown chunk",
            vec![
                json!({ "type": "start" }),
                json!({ "type": "tool-progress", "toolCallId": "c", "toolName": "pay", "args": {} }),
            ],
            "`event:tool-progress` was not read: {\"type\":\"tool-progress\",\"toolCallId\":\"c\",\"toolName\":\"pay\",\"args\":{}}",
        ),
    ] {
        assert_read(name, &stream(&list), &format!("run\n{expected}\nfinished")).await;
    }
}

#[tokio::test]
async fn a_step_that_is_taken_back_unsays_its_text_and_hides_no_call() {
    let list = chunks(&[
        &[bare("start"), bare("start-step")],
        &text("1", "I am"),
        &[input("c", "pay", &json!({})), bare("reset-step")],
        &text("1", "Hello"),
        &[bare("finish-step")],
    ]);
    let expected = "run\nassistant: (taken back) I am\ncall c: pay({})\n  = text the step of the call was taken back (`reset-step`) (error)\nassistant: Hello\nfinished";
    assert_read("reset", &stream(&list), expected).await;
}

#[tokio::test]
async fn data_that_is_no_chunk_is_an_error() {
    for (name, data, expected) in [
        ("a text", "Hello", "event 1 of the response is not JSON"),
        (
            "a list",
            "[1]",
            "event 1 of the response is not a JSON object",
        ),
    ] {
        let exchanged = read(name, &format!("data: {data}\n\ndata: [DONE]\n\n")).await;
        let message = exchanged.ended.expect_err("no chunk").message;
        assert!(message.starts_with(expected), "{message}");
    }
}

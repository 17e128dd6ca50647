//! Responses of OpenAI-compatible models, read in every form in which servers stream text, calls and errors.

use ananke::agents::Ended;
use serde_json::{Value, json};

use super::{calls, delta, finish, fragment, read, say, stream, unmarked};

#[tokio::test]
async fn text_is_read_in_every_form() {
    let said = "run\nassistant: Hello\nfinished";
    for (name, body) in [
        (
            "as the API sends it",
            stream(&[
                delta(&json!({ "role": "assistant", "content": "" })),
                say("Hel"),
                say("lo"),
                finish("stop"),
            ]),
        ),
        (
            "null in every key",
            stream(&[
                delta(
                    &json!({ "content": null, "tool_calls": null, "refusal": null, "function_call": null }),
                ),
                say("Hello"),
                finish("stop"),
            ]),
        ),
        (
            "a chunk without choices first",
            stream(&[
                json!({ "id": "", "choices": [], "prompt_filter_results": [] }),
                say("Hello"),
                finish("stop"),
            ]),
        ),
        (
            "a choice without a delta",
            stream(&[
                json!({ "choices": [{ "index": 0 }] }),
                json!({ "choices": [{ "delta": null }] }),
                say("Hello"),
                finish("stop"),
            ]),
        ),
        (
            "a message instead of a delta",
            stream(&[
                json!({ "choices": [{ "message": { "content": "Hello" }, "finish_reason": "stop" }] }),
            ]),
        ),
        (
            "a list of parts",
            stream(&[
                delta(
                    &json!({ "content": [{ "type": "text", "text": "Hel" }, { "type": "text", "text": "lo" }] }),
                ),
                finish("stop"),
            ]),
        ),
        ("an end mark alone", stream(&[say("Hello")])),
        (
            "comments between",
            format!(
                ": alive\n\n{}: alive\n\n",
                stream(&[say("Hello"), finish("stop")])
            ),
        ),
    ] {
        assert_read(name, &body, said).await;
    }
    let truncated = stream(&[say("Hello"), finish("length")]);
    assert_read(
        "truncated",
        &truncated,
        "run\nassistant: Hello\ntruncated\nfinished",
    )
    .await;
}

async fn assert_read(name: &str, body: &str, expected: &str) {
    let exchanged = read(name, body).await;
    assert_eq!(
        (exchanged.changes.as_str(), exchanged.ended),
        (expected, Ok(Ended::Terminal)),
        "{name}"
    );
}

#[tokio::test]
async fn what_comes_beside_text_is_read() {
    for (name, body, expected) in [
        (
            "a refusal",
            stream(&[delta(&json!({ "refusal": "I cannot." })), finish("stop")]),
            "run\nassistant: I cannot.\nfinished",
        ),
        (
            "reasoning",
            stream(&[
                delta(&json!({ "reasoning_content": "Hm" })),
                delta(&json!({ "reasoning": "m" })),
                say("Hello"),
                finish("stop"),
            ]),
            "run\nthinks: Hmm\nassistant: Hello\nfinished",
        ),
        ("nothing", stream(&[finish("stop")]), "run\nfinished"),
        (
            "tokens at the end",
            stream(&[
                say("Hello"),
                finish("stop"),
                json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9 } }),
            ]),
            "run\nassistant: Hello\nusage 7 in, 2 out, 9\nfinished",
        ),
        (
            "tokens in every chunk",
            stream(&[
                json!({ "choices": [{ "delta": { "content": "Hello" } }], "usage": { "prompt_tokens": 7, "completion_tokens": 1 } }),
                json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }], "usage": { "prompt_tokens": 7, "completion_tokens": -2 } }),
            ]),
            "run\nassistant: Hello\n! `completion_tokens` of `usage` is not a count: it is taken as unknown\nusage 7 in, ? out, ?\nfinished",
        ),
        (
            "an object that is no chunk",
            stream(&[json!({ "type": "ping" }), say("Hello"), finish("stop")]),
            "run\n`chunk:ping` was not understood: {\"type\":\"ping\"}\nassistant: Hello\nfinished",
        ),
        (
            "other choices",
            stream(&[
                json!({ "choices": [{ "index": 1, "delta": { "content": "No" } }, { "index": 0, "delta": { "content": "Hello" } }] }),
                finish("stop"),
            ]),
            "run\n`choice:1` was not read: {\"index\":1,\"delta\":{\"content\":\"No\"}}\nassistant: Hello\nfinished",
        ),
    ] {
        assert_read(name, &body, expected).await;
    }
}

#[tokio::test]
async fn calls_are_put_together_in_every_form() {
    let one = "call a: f({\"x\":1})\n";
    for (name, chunks, expected) in [
        (
            "name first, then arguments",
            vec![
                calls(&fragment(0, "a", "f", "")),
                calls(&json!([{ "index": 0, "function": { "arguments": "{\"x\"" } }])),
                calls(&json!([{ "index": 0, "function": { "arguments": ":1}" } }])),
            ],
            one,
        ),
        (
            "all at once",
            vec![calls(&fragment(0, "a", "f", "{\"x\":1}"))],
            one,
        ),
        (
            "the id and the name in every fragment",
            vec![
                calls(&fragment(0, "a", "f", "{\"x\"")),
                calls(&fragment(0, "a", "f", ":1}")),
            ],
            one,
        ),
        (
            "arguments before the name",
            vec![
                calls(&json!([{ "index": 0, "id": "a", "function": { "arguments": "{\"x\"" } }])),
                calls(&json!([{ "index": 0, "function": { "name": "f", "arguments": ":1}" } }])),
            ],
            one,
        ),
        (
            "no index",
            vec![
                calls(&json!([{ "id": "a", "function": { "name": "f", "arguments": "{\"x\"" } }])),
                calls(&json!([{ "function": { "arguments": ":1}" } }])),
            ],
            one,
        ),
        (
            "arguments as an object",
            vec![calls(
                &json!([{ "index": 0, "id": "a", "function": { "name": "f", "arguments": { "x": 1 } } }]),
            )],
            one,
        ),
        (
            "one call instead of a list",
            vec![calls(
                &json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{\"x\":1}" } }),
            )],
            one,
        ),
        (
            "a single function",
            vec![
                delta(&json!({ "function_call": { "name": "f", "arguments": "{\"x\"" } })),
                delta(&json!({ "function_call": { "arguments": ":1}" } })),
            ],
            "call call_0: f({\"x\":1})\n",
        ),
    ] {
        assert_calls(name, &chunks, expected).await;
    }
}

/// The calls of these chunks are `expected`, whatever reason the model gives for its end.
async fn assert_calls(name: &str, chunks: &[Value], expected: &str) {
    for reason in ["tool_calls", "stop", "length"] {
        let all: Vec<Value> = chunks.iter().cloned().chain([finish(reason)]).collect();
        let exchanged = read(name, &stream(&all)).await;
        let truncated = if reason == "length" {
            "truncated\n"
        } else {
            ""
        };
        assert_eq!(
            exchanged.changes,
            format!("run\n{expected}{truncated}finished"),
            "{name}, {reason}"
        );
        let error = exchanged.ended.unwrap_err().message;
        assert!(
            error.ends_with("which is not declared; no tool is declared"),
            "{name}: {error}"
        );
    }
}

#[tokio::test]
async fn several_calls_are_told_apart_in_every_form() {
    let two = "call a: f({\"x\":1})\ncall b: g({\"y\":2})\n";
    for (name, chunks, expected) in [
        (
            "interleaved",
            vec![
                calls(&fragment(0, "a", "f", "{\"x\"")),
                calls(&fragment(1, "b", "g", "{\"y\"")),
                calls(
                    &json!([{ "index": 0, "function": { "arguments": ":1}" } }, { "index": 1, "function": { "arguments": ":2}" } }]),
                ),
            ],
            two,
        ),
        (
            "one index, several ids",
            vec![
                calls(&fragment(0, "a", "f", "{\"x\":1}")),
                calls(&fragment(0, "b", "g", "{\"y\":2}")),
            ],
            two,
        ),
        (
            "no index, several ids",
            vec![
                calls(
                    &json!([{ "id": "a", "function": { "name": "f", "arguments": "{\"x\":1}" } }]),
                ),
                calls(
                    &json!([{ "id": "b", "function": { "name": "g", "arguments": "{\"y\":2}" } }]),
                ),
            ],
            two,
        ),
        (
            "one index and no ids",
            vec![
                calls(&fragment(0, "", "f", "{\"x\":1}")),
                calls(&fragment(0, "", "f", "{\"x\":2}")),
            ],
            "call call_0: f({\"x\":1})\ncall call_1: f({\"x\":2})\n",
        ),
        (
            "one id, several indexes",
            vec![
                calls(&fragment(0, "a", "f", "{\"x\":1}")),
                calls(&fragment(1, "a", "f", "{\"x\":2}")),
            ],
            "call a: f({\"x\":1})\ncall a#2: f({\"x\":2})\n",
        ),
        (
            "arguments that are never JSON",
            vec![calls(&fragment(0, "a", "f", "{\"x\":"))],
            "call a: f({\"x\":)\n",
        ),
        (
            "an id for each fragment",
            vec![
                calls(&fragment(0, "a", "f", "")),
                calls(&fragment(0, "b", "", "{\"x\"")),
                calls(&fragment(0, "c", "", ":1}")),
                calls(&fragment(1, "d", "g", "")),
                calls(&fragment(1, "e", "", "{\"y\":2}")),
            ],
            "call a: f({\"x\":1})\ncall d: g({\"y\":2})\n",
        ),
        (
            "a name in pieces",
            vec![
                calls(&fragment(0, "a", "f", "")),
                calls(&fragment(0, "", "oo", "")),
                calls(&fragment(0, "", "", "{\"x\":1}")),
            ],
            "call a: foo({\"x\":1})\n",
        ),
        (
            "a name that is repeated",
            vec![
                calls(&fragment(0, "a", "f", "")),
                calls(&fragment(0, "a", "f", "{\"x\":1}")),
            ],
            "call a: f({\"x\":1})\n",
        ),
        (
            "no arguments",
            vec![calls(&fragment(0, "a", "f", ""))],
            "call a: f()\n",
        ),
    ] {
        assert_calls(name, &chunks, expected).await;
    }
}

#[tokio::test]
async fn what_is_no_response_is_an_error() {
    let call = calls(&json!([{ "index": 0, "id": "a", "function": { "arguments": "{}" } }]));
    for (body, message) in [
        (
            unmarked(&[say("Hel")]),
            "the stream ended without a `finish_reason` and without `[DONE]`",
        ),
        (
            "data: {\"choices\":[{\"delta\":{\"con".to_owned(),
            "the stream ended inside an event",
        ),
        (
            "data: hello\n\n".to_owned(),
            "event 1 of the response is not JSON: expected value at line 1 column 1 (`hello`)",
        ),
        (
            "data: [1]\n\n".to_owned(),
            "event 1 of the response is not a JSON object (`[1]`)",
        ),
        (String::new(), "the response is empty"),
        (
            "{\"choices\":[]}".to_owned(),
            "the server does not stream: the response is a JSON document",
        ),
        (
            "{\"answer\":42}".to_owned(),
            "the response is a JSON document, not a stream of chunks",
        ),
        (
            "<html>".to_owned(),
            "the response is a web page, not a stream of chunks",
        ),
        (": alive\n\n".to_owned(), "the response contains no chunk"),
        (
            stream(&[call, finish("tool_calls")]),
            "the model called a tool without naming it",
        ),
    ] {
        let error = read(message, &body).await.ended.unwrap_err();
        assert_eq!(error.message, message);
    }
}

#[tokio::test]
async fn an_error_in_the_stream_is_one_of_the_agent() {
    for (error, expected) in [
        (
            json!({ "error": { "message": "overloaded", "code": 503 } }),
            "error Some(\"503\"): overloaded",
        ),
        (
            json!({ "error": { "message": "overloaded", "type": "server" } }),
            "error Some(\"server\"): overloaded",
        ),
        (json!({ "error": "overloaded" }), "error None: overloaded"),
        (
            json!({ "object": "error", "message": "overloaded", "code": null }),
            "error None: overloaded",
        ),
        (json!({ "detail": "overloaded" }), "error None: overloaded"),
        (
            json!({ "choices": [{ "index": 0, "delta": {}, "error": { "message": "overloaded", "code": 502 } }] }),
            "error Some(\"502\"): overloaded",
        ),
        (
            finish("error"),
            "error None: the model stopped with the `finish_reason` `error`",
        ),
    ] {
        let exchanged = read(expected, &unmarked(&[say("Hel"), error])).await;
        assert_eq!(
            exchanged.changes,
            format!("run\nassistant: Hel\n{expected}")
        );
        assert_eq!(exchanged.ended, Ok(Ended::Terminal));
    }
}

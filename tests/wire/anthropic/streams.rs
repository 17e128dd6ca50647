//! Responses of the Messages API, read in every form in which servers stream text, reasoning, calls, results and errors.

use ananke::agents::Ended;
use serde_json::{Value, json};

use super::{begins, ends, message, piece, read, says, shows, start, stop, stops, stream, uses};

async fn assert_read(name: &str, body: &str, expected: &str) {
    let exchanged = read(name, body).await;
    assert_eq!(
        (exchanged.changes.as_str(), exchanged.ended),
        (expected, Ok(Ended::Terminal)),
        "{name}"
    );
}

#[tokio::test]
async fn text_is_read_in_every_form() {
    let said = "run\nassistant: Hello\nusage 7 in, 2 out, 9\nfinished";
    let hello = |text: &str| piece(0, json!({ "type": "text_delta", "text": text }));
    let ping = json!({ "type": "ping" });
    let whole = begins(
        0,
        json!({ "type": "text", "text": "Hello", "citations": null }),
    );
    for (name, events) in [
        (
            "as the API sends it",
            message(vec![says(0, "Hello")], "end_turn"),
        ),
        (
            "in pieces, with pings",
            vec![
                ping.clone(),
                start(),
                begins(0, json!({ "type": "text", "text": "" })),
                hello("Hel"),
                ping.clone(),
                json!({}),
                hello("lo"),
                ends(0),
                ping,
                stops("end_turn"),
                stop(),
            ],
        ),
        (
            "at its beginning",
            message(vec![vec![whole.clone(), ends(0)]], "end_turn"),
        ),
        (
            "at its beginning and in pieces",
            message(
                vec![vec![
                    begins(0, json!({ "type": "text", "text": "Hel" })),
                    hello("lo"),
                    ends(0),
                ]],
                "end_turn",
            ),
        ),
        ("without its end", message(vec![vec![whole]], "end_turn")),
        (
            "without its beginning",
            message(vec![vec![hello("Hel"), hello("lo")]], "end_turn"),
        ),
        (
            "in two blocks",
            message(vec![says(0, "Hel"), says(1, "lo")], "end_turn"),
        ),
        (
            "in two blocks at one place",
            message(vec![says(0, "Hel"), says(0, "lo")], "end_turn"),
        ),
        (
            "after empty blocks",
            message(
                vec![
                    says(0, ""),
                    vec![begins(1, json!({ "type": "text", "text": "" })), ends(1)],
                    says(2, "Hello"),
                ],
                "end_turn",
            ),
        ),
    ] {
        assert_read(name, &stream(&events), said).await;
    }
    let mut whole = start();
    whole["message"]["content"] = json!([{ "type": "text", "text": "Hello" }]);
    assert_read(
        "in the message",
        &stream(&[whole, stops("end_turn"), stop()]),
        said,
    )
    .await;
    // The name of an event says nothing, and servers leave it out.
    let unnamed = stream(&message(vec![says(0, "Hello")], "end_turn")).replace("event: ", "id: ");
    assert_read("without names", &unnamed, said).await;
}

#[tokio::test]
async fn the_end_of_a_message_says_why_it_is_over() {
    let usage = "usage 7 in, 2 out, 9\n";
    for (reason, end) in [
        ("end_turn", format!("{usage}finished")),
        ("stop_sequence", format!("{usage}finished")),
        ("max_tokens", format!("truncated\n{usage}finished")),
        (
            "model_context_window_exceeded",
            format!("truncated\n{usage}finished"),
        ),
        ("refusal", format!("{usage}unknown end")),
        ("content_filter", format!("{usage}unknown end")),
    ] {
        let body = stream(&message(vec![says(0, "Hello")], reason));
        assert_read(reason, &body, &format!("run\nassistant: Hello\n{end}")).await;
    }
    let mut events = message(vec![says(0, "Hello")], "end_turn");
    events.pop();
    let missing = "! end-missing: `message_stop` did not come after the `stop_reason`";
    let expected = format!("run\nassistant: Hello\n{missing}\n{usage}finished");
    assert_read("without its last event", &stream(&events), &expected).await;
    let marked = stream(&events) + "data: [DONE]\n\n";
    assert_read("with an end mark instead", &marked, &expected).await;
    let marked = stream(&message(vec![says(0, "Hello")], "end_turn")) + "data: [DONE]\n\n";
    assert_read(
        "with an end mark as well",
        &marked,
        &format!("run\nassistant: Hello\n{usage}finished"),
    )
    .await;
}

#[tokio::test]
async fn tokens_replace_those_before() {
    let mut begun = start();
    begun["message"]["usage"] =
        json!({ "input_tokens": 0, "cache_read_input_tokens": 30, "output_tokens": 1 });
    let delta = |usage: Value| json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": usage });
    let events = [
        begun,
        delta(json!({ "input_tokens": 5, "output_tokens": 4 })),
        delta(json!({ "output_tokens": 6 })),
        stop(),
    ];
    assert_read(
        "several",
        &stream(&events),
        "run\nusage 35 in, 6 out, 41\nfinished",
    )
    .await;
    let events = [start(), delta(json!({ "output_tokens": "many" })), stop()];
    let odd = "! `output_tokens` of `usage` is not a count: it is taken as unknown";
    assert_read(
        "odd",
        &stream(&events),
        &format!("run\n{odd}\nusage 7 in, ? out, ?\nfinished"),
    )
    .await;
}

#[tokio::test]
async fn reasoning_is_no_text() {
    let thinks = |index: u64, text: &str| {
        vec![
            begins(
                index,
                json!({ "type": "thinking", "thinking": "", "signature": "" }),
            ),
            piece(index, json!({ "type": "thinking_delta", "thinking": text })),
            piece(
                index,
                json!({ "type": "signature_delta", "signature": "s" }),
            ),
            ends(index),
        ]
    };
    let redacted = vec![
        begins(1, json!({ "type": "redacted_thinking", "data": "x" })),
        ends(1),
    ];
    let body = stream(&message(
        vec![
            thinks(0, "Hm"),
            redacted,
            says(2, "Hello"),
            thinks(3, "So"),
            says(4, "Bye"),
        ],
        "end_turn",
    ));
    let expected = "run\nthinks: Hm\nassistant: Hello\nthinks: So\nassistant: Bye\nusage 7 in, 2 out, 9\nfinished";
    assert_read("between texts", &body, expected).await;
}

#[tokio::test]
async fn calls_are_put_together_in_every_form() {
    let input = |index: u64, json: &str| {
        piece(
            index,
            json!({ "type": "input_json_delta", "partial_json": json }),
        )
    };
    let begun = |index: u64, id: &str, name: &str, input: Value| {
        begins(
            index,
            json!({ "type": "tool_use", "id": id, "name": name, "input": input }),
        )
    };
    let one = "call a: f({\"x\":1})\n";
    let two = "call a: f({\"x\":1})\ncall b: g({\"y\":2})\n";
    for (name, events, expected) in [
        (
            "in pieces",
            vec![
                begun(0, "a", "f", json!({})),
                input(0, ""),
                input(0, "{\"x\""),
                input(0, ":1}"),
                ends(0),
            ],
            one,
        ),
        (
            "at its beginning",
            vec![begun(0, "a", "f", json!({ "x": 1 })), ends(0)],
            one,
        ),
        (
            "as a text",
            vec![begun(0, "a", "f", json!("{\"x\":1}"))],
            one,
        ),
        (
            "at its beginning and in pieces",
            vec![begun(0, "a", "f", json!({ "x": 2 })), input(0, "{\"x\":1}")],
            one,
        ),
        (
            "of nothing",
            vec![begun(0, "a", "f", json!({})), input(0, ""), ends(0)],
            "call a: f({})\n",
        ),
        (
            "that is no JSON",
            vec![begun(0, "a", "f", json!({})), input(0, "{\"x\":")],
            "call a: f({\"x\":)\n",
        ),
        (
            "without ids",
            vec![begun(0, "", "f", json!({})), begun(0, "", "f", json!({}))],
            "call call_0: f({})\ncall call_1: f({})\n",
        ),
        (
            "with one id",
            vec![begun(0, "a", "f", json!({})), begun(1, "a", "f", json!({}))],
            "call a: f({})\ncall a#2: f({})\n",
        ),
        (
            "interleaved",
            vec![
                begun(0, "a", "f", json!({})),
                begun(1, "b", "g", json!({})),
                input(0, "{\"x\":1}"),
                input(1, "{\"y\":2}"),
                ends(1),
                ends(0),
            ],
            two,
        ),
        (
            "at one place",
            vec![
                begun(0, "a", "f", json!({})),
                input(0, "{\"x\":1}"),
                begun(0, "b", "g", json!({})),
                input(0, "{\"y\":2}"),
            ],
            two,
        ),
    ] {
        let body = stream(&message(vec![events], "tool_use"));
        let exchanged = read(name, &body).await;
        assert_eq!(
            exchanged.changes,
            format!("run\n{expected}usage 7 in, 2 out, 9\nfinished"),
            "{name}"
        );
        let error = exchanged.ended.unwrap_err().message;
        assert!(
            error.ends_with("which is not declared; no tool is declared"),
            "{name}: {error}"
        );
    }
}

#[tokio::test]
async fn what_begins_first_comes_first() {
    let text = |index: u64, text: &str| piece(index, json!({ "type": "text_delta", "text": text }));
    let empty = |index: u64| begins(index, json!({ "type": "text", "text": "" }));
    let blocks = vec![
        vec![empty(0)],
        uses(1, "server_tool_use", "s", "web_search", "{}"),
        vec![
            empty(2),
            text(2, "After"),
            text(0, "Before"),
            ends(0),
            ends(2),
        ],
    ];
    let body = stream(&message(blocks, "end_turn"));
    let expected = "run\nassistant: Before\ncall s: web_search({})\n  = executed, not shown\nassistant: After\nusage 7 in, 2 out, 9\nfinished";
    assert_read("late text", &body, expected).await;
}

#[tokio::test]
async fn calls_of_the_server_are_executed() {
    let error =
        json!({ "type": "web_search_tool_result_error", "error_code": "max_uses_exceeded" });
    let ran = json!({ "type": "code_execution_result", "stdout": "4", "return_code": 0 });
    let texts = json!([{ "type": "text", "text": "4" }]);
    let blocks = vec![
        uses(0, "server_tool_use", "a", "web_search", "{\"query\":\"x\"}"),
        shows(1, "web_search_tool_result", "a", error),
        uses(
            2,
            "server_tool_use",
            "b",
            "code_execution",
            "{\"code\":\"2+2\"}",
        ),
        shows(3, "code_execution_tool_result", "b", ran),
        uses(4, "mcp_tool_use", "c", "roll", "{}"),
        shows(5, "mcp_tool_result", "c", texts),
        uses(6, "server_tool_use", "d", "web_fetch", "{}"),
        says(7, "Done"),
    ];
    let body = stream(&message(blocks, "end_turn"));
    let expected = "run\ncall a: web_search({\"query\":\"x\"})\n  = json {\"type\":\"web_search_tool_result_error\",\"error_code\":\"max_uses_exceeded\"} (error)\n\
                    call b: code_execution({\"code\":\"2+2\"})\n  = json {\"type\":\"code_execution_result\",\"stdout\":\"4\",\"return_code\":0}\n\
                    call c: roll({})\n  = text 4\ncall d: web_fetch({})\n  = executed, not shown\nassistant: Done\nusage 7 in, 2 out, 9\nfinished";
    assert_read("three results and none", &body, expected).await;
}

#[tokio::test]
async fn what_is_not_known_is_unread() {
    let said = "assistant: Hello\nusage 7 in, 2 out, 9\nfinished";
    for (name, events, expected) in [
        (
            "an event",
            vec![json!({ "type": "news" })],
            "`event:news` was not understood: {\"type\":\"news\"}\n",
        ),
        (
            "a block",
            vec![begins(5, json!({ "type": "news" })), ends(5)],
            "`block:news` was not understood: {\"type\":\"news\"}\n",
        ),
        (
            "a piece",
            vec![piece(5, json!({ "type": "news_delta" }))],
            "`delta:news_delta` was not understood: {\"type\":\"news_delta\"}\n",
        ),
        (
            "a result of no call",
            shows(5, "web_search_tool_result", "x", json!([])),
            "`result:x` was not read: the call is not in the response\n",
        ),
        (
            "a list of tools",
            vec![
                begins(
                    5,
                    json!({ "type": "mcp_tool_listing", "tools": [{ "name": "pay" }] }),
                ),
                ends(5),
            ],
            "",
        ),
        (
            "a summary",
            vec![
                begins(5, json!({ "type": "compaction", "content": null })),
                piece(5, json!({ "type": "compaction_delta", "content": "x" })),
                ends(5),
            ],
            "",
        ),
        (
            "a citation",
            vec![
                begins(5, json!({ "type": "text", "text": "" })),
                piece(
                    5,
                    json!({ "type": "citations_delta", "citation": { "url": "u" } }),
                ),
                ends(5),
            ],
            "",
        ),
    ] {
        let body = stream(&message(vec![events, says(6, "Hello")], "end_turn"));
        assert_read(name, &body, &format!("run\n{expected}{said}")).await;
    }
}

#[tokio::test]
async fn what_is_no_response_is_an_error() {
    let nameless = begins(0, json!({ "type": "tool_use", "id": "a", "input": {} }));
    for (body, message) in [
        (
            stream(&[start()]),
            "the stream ended without `message_stop` and without a `stop_reason`",
        ),
        (
            stream(&[start()]) + "data: [DONE]\n\n",
            "the stream ended without `message_stop` and without a `stop_reason`",
        ),
        (
            "data: {\"type\":\"mess".to_owned(),
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
            "{\"type\":\"message\",\"stop_reason\":\"end_turn\"}".to_owned(),
            "the server does not stream: the response is a JSON document",
        ),
        (
            "{\"answer\":42}".to_owned(),
            "the response is a JSON document, not a stream of events",
        ),
        (
            "<html>".to_owned(),
            "the response is a web page, not a stream of events",
        ),
        (": alive\n\n".to_owned(), "the response contains no event"),
        (
            stream(&[start(), nameless, stops("tool_use"), stop()]),
            "the model called a tool without naming it",
        ),
        (
            stream(&[
                start(),
                piece(
                    0,
                    json!({ "type": "input_json_delta", "partial_json": "{}" }),
                ),
                stops("tool_use"),
                stop(),
            ]),
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
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded", "details": null }, "request_id": "r" }),
            "error Some(\"overloaded_error\"): Overloaded",
        ),
        (
            json!({ "error": { "message": "Overloaded" } }),
            "error None: Overloaded",
        ),
        (json!({ "error": "Overloaded" }), "error None: Overloaded"),
    ] {
        let begun = begins(0, json!({ "type": "text", "text": "Hel" }));
        let exchanged = read(expected, &stream(&[start(), begun, error])).await;
        assert_eq!(
            exchanged.changes,
            format!("run\nassistant: Hel\nusage 7 in, 1 out, 8\n{expected}")
        );
        assert_eq!(exchanged.ended, Ok(Ended::Terminal));
    }
}

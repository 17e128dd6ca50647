//! Responses in every form in which servers stream text, calls, results and errors.

use serde_json::{Value, json};

use super::{added, assert_read, call, completed, done, event, message, read, say, stream};

/// A message that has begun.
fn begun(id: &str) -> Value {
    json!({ "type": "message", "id": id, "role": "assistant", "content": [] })
}

#[tokio::test]
async fn text_is_read_in_every_form() {
    let said = "run\nassistant: Hello\nfinished";
    let hello = message("m", "Hello");
    for (name, events) in [
        (
            "as the API sends it",
            vec![
                event(
                    "created",
                    json!({ "response": { "id": "resp_1", "status": "in_progress", "output": [] } }),
                ),
                event("in_progress", json!({ "response": { "id": "resp_1" } })),
                added(0, &begun("m")),
                event(
                    "content_part.added",
                    json!({ "item_id": "m", "output_index": 0, "content_index": 0, "part": { "type": "output_text", "text": "" } }),
                ),
                say("m", "Hel"),
                say("m", "lo"),
                event(
                    "output_text.done",
                    json!({ "item_id": "m", "output_index": 0, "content_index": 0, "text": "Hello" }),
                ),
                event(
                    "content_part.done",
                    json!({ "item_id": "m", "output_index": 0, "content_index": 0, "part": { "type": "output_text", "text": "Hello" } }),
                ),
                done(0, &hello),
                completed(&json!([hello])),
            ],
        ),
        ("the whole response alone", vec![completed(&json!([hello]))]),
        (
            "an empty list at the end",
            vec![
                added(0, &begun("m")),
                say("m", "Hello"),
                done(0, &hello),
                completed(&json!([])),
            ],
        ),
        (
            "no list at the end",
            vec![
                added(0, &begun("m")),
                say("m", "Hello"),
                done(0, &hello),
                event("completed", json!({ "response": {} })),
            ],
        ),
        (
            "pieces of an item that was not announced",
            vec![say("m", "Hel"), say("m", "lo"), completed(&json!([hello]))],
        ),
        (
            "pieces without any sign",
            vec![
                event("output_text.delta", json!({ "delta": "Hel" })),
                event("output_text.delta", json!({ "delta": "lo" })),
                completed(&json!([])),
            ],
        ),
        (
            "another id at the end",
            vec![
                added(0, &begun("m")),
                say("m", "Hello"),
                done(0, &hello),
                completed(&json!([message("other", "Hello")])),
            ],
        ),
        (
            "the text at the end of its part",
            vec![
                added(0, &begun("m")),
                event(
                    "output_text.done",
                    json!({ "item_id": "m", "content_index": 0, "text": "Hello" }),
                ),
                completed(&json!([])),
            ],
        ),
        (
            "a rest in the whole item",
            vec![
                added(0, &begun("m")),
                say("m", "Hel"),
                done(0, &hello),
                completed(&json!([])),
            ],
        ),
        (
            "a text instead of parts",
            vec![completed(
                &json!([{ "type": "message", "id": "m", "content": "Hello" }]),
            )],
        ),
        (
            "progress and what keeps the connection",
            vec![
                event("keepalive", json!({ "sequence_number": 3 })),
                event(
                    "output_text.annotation.added",
                    json!({ "annotation": { "type": "url_citation" } }),
                ),
                completed(&json!([hello])),
            ],
        ),
        (
            "an item announced twice",
            vec![
                added(0, &begun("m")),
                added(0, &begun("m")),
                say("m", "Hello"),
                completed(&json!([hello])),
            ],
        ),
    ] {
        assert_read(name, &events, said).await;
    }
    let refused = json!([{ "type": "message", "id": "m", "role": "assistant", "content": [{ "type": "refusal", "refusal": "I cannot." }] }]);
    assert_read(
        "a refusal",
        &[completed(&refused)],
        "run\nassistant: I cannot.\nfinished",
    )
    .await;
}

#[tokio::test]
async fn calls_are_read_in_every_form() {
    let called = "run\ncall c: pay({\"eur\":7})\n  = executed, not shown\nfinished";
    let whole = call("f", "c", "pay", "{\"eur\":7}");
    let begins = call("f", "c", "pay", "");
    let piece = |text: &str| {
        event(
            "function_call_arguments.delta",
            json!({ "item_id": "f", "output_index": 0, "delta": text }),
        )
    };
    for (name, events) in [
        (
            "as the API sends it",
            vec![
                added(0, &begins),
                piece("{\"eur\""),
                piece(":7}"),
                event(
                    "function_call_arguments.done",
                    json!({ "item_id": "f", "arguments": "{\"eur\":7}" }),
                ),
                done(0, &whole),
                completed(&json!([whole])),
            ],
        ),
        (
            "whole arguments at the start, and pieces",
            vec![
                added(0, &whole),
                piece("{\"eur\":7}"),
                completed(&json!([])),
            ],
        ),
        (
            "whole arguments at the start alone",
            vec![added(0, &whole), completed(&json!([]))],
        ),
        (
            "no whole item",
            vec![
                added(0, &begins),
                piece("{\"eur\":7}"),
                completed(&json!([])),
            ],
        ),
        (
            "arguments as JSON",
            vec![completed(
                &json!([{ "type": "function_call", "call_id": "c", "name": "pay", "arguments": { "eur": 7 } }]),
            )],
        ),
        (
            "a name that comes with the whole item",
            vec![
                added(0, &json!({ "type": "function_call", "id": "f" })),
                piece("{\"eur\""),
                piece(":7}"),
                done(0, &whole),
                completed(&json!([])),
            ],
        ),
        (
            "pieces of an item that was not announced",
            vec![piece("{\"eur\":7}"), done(0, &whole), completed(&json!([]))],
        ),
    ] {
        assert_read(name, &events, called).await;
    }
}

/// Items begin in the order of the stream, also if a server names a tool only at the end of its item.
#[tokio::test]
async fn a_call_that_is_named_late_keeps_its_place() {
    let events = [
        added(0, &json!({ "type": "function_call", "id": "f" })),
        added(1, &begun("m")),
        say("m", "Paid."),
        done(0, &call("f", "c", "pay", "{}")),
        done(1, &message("m", "Paid.")),
        completed(&json!([])),
    ];
    let expected = "run\ncall c: pay({})\n  = executed, not shown\nassistant: Paid.\nfinished";
    assert_read("a late name", &events, expected).await;
}

#[tokio::test]
async fn calls_of_the_server_have_their_tool_and_their_result() {
    for (name, item, expected) in [
        (
            "a tool of an MCP server",
            json!({ "type": "mcp_call", "id": "x", "name": "roll", "server_label": "dice", "arguments": "{\"n\":2}", "output": "4", "status": "completed" }),
            "run\ncall x: roll({\"n\":2})\n  = text 4\nfinished",
        ),
        (
            "a search",
            json!({ "type": "web_search_call", "id": "x", "status": "completed", "action": { "type": "search", "query": "a" } }),
            "run\ncall x: web_search({\"type\":\"search\",\"query\":\"a\"})\n  = executed, not shown\nfinished",
        ),
        (
            "an extension",
            json!({ "type": "acme:document_search", "id": "x", "status": "completed", "query": "a", "results": ["d"] }),
            "run\ncall x: document_search({\"query\":\"a\"})\n  = json [\"d\"]\nfinished",
        ),
        (
            "a list of tools",
            json!({ "type": "mcp_list_tools", "id": "x", "server_label": "dice", "tools": [{ "name": "roll", "input_schema": {} }] }),
            "run\nfinished",
        ),
    ] {
        assert_read(
            name,
            &[added(0, &item), done(0, &item), completed(&json!([item]))],
            expected,
        )
        .await;
    }
}

#[tokio::test]
async fn a_whole_that_contradicts_its_pieces_is_unread() {
    let events = [
        added(0, &begun("m")),
        say("m", "Hello"),
        done(0, &message("m", "Bye")),
        completed(&json!([])),
    ];
    let exchanged = read("another text", &stream(&events)).await;
    assert!(
        exchanged.changes.contains("text:message"),
        "{}",
        exchanged.changes
    );

    let events = [
        added(0, &call("f", "c", "pay", "")),
        event(
            "function_call_arguments.delta",
            json!({ "item_id": "f", "delta": "{\"eur\":7}" }),
        ),
        done(0, &call("f", "c", "pay", "{\"eur\":8}")),
        completed(&json!([])),
    ];
    let exchanged = read("other arguments", &stream(&events)).await;
    assert!(
        exchanged.changes.contains("arguments:pay"),
        "{}",
        exchanged.changes
    );
}

#[tokio::test]
async fn a_response_ends_with_its_status() {
    let hello = message("m", "Hello");
    let ended = |name: &str, response: Value| {
        vec![
            completed_item(&hello),
            event(name, json!({ "response": response })),
        ]
    };
    for (name, events, expected) in [
        (
            "too long",
            ended(
                "incomplete",
                json!({ "status": "incomplete", "incomplete_details": { "reason": "max_output_tokens" } }),
            ),
            "run\nassistant: Hello\ntruncated\nfinished",
        ),
        (
            "an error and a failed response are one error",
            vec![
                completed_item(&hello),
                event(
                    "error",
                    json!({ "error": { "code": "server_error", "message": "no" } }),
                ),
                event(
                    "failed",
                    json!({ "response": { "status": "failed", "error": { "code": "other", "message": "repeated" } } }),
                ),
            ],
            "run\nassistant: Hello\nerror Some(\"server_error\"): no",
        ),
        (
            "completed with the status failed",
            ended("completed", json!({ "status": "failed" })),
            "run\nassistant: Hello\nerror None: the response has the status `failed`, and no error",
        ),
        (
            "cancelled",
            ended("cancelled", json!({ "status": "cancelled" })),
            "run\nassistant: Hello\ncancelled",
        ),
        (
            "tokens",
            ended(
                "completed",
                json!({ "status": "completed", "usage": { "input_tokens": 7, "output_tokens": 2, "total_tokens": 9 } }),
            ),
            "run\nassistant: Hello\nusage 7 in, 2 out, 9\nfinished",
        ),
    ] {
        assert_read(name, &events, expected).await;
    }
}

/// A whole item as an event of its own.
fn completed_item(item: &Value) -> Value {
    done(0, item)
}

#[tokio::test]
async fn a_stream_without_an_end_is_cut() {
    for (name, body) in [
        (
            "in a message",
            stream(&[added(0, &begun("m")), say("m", "Hello")]),
        ),
        (
            "after its items",
            stream(&[completed_item(&message("m", "Hello"))]),
        ),
        (
            "with a mark",
            stream(&[completed_item(&message("m", "Hello"))]) + "data: [DONE]\n\n",
        ),
    ] {
        let exchanged = read(name, &body).await;
        let error = exchanged.ended.expect_err("it is cut");
        assert!(
            error
                .message
                .contains("the stream ended without `response.completed`"),
            "{name}: {}",
            error.message
        );
    }
    let document = json!({ "object": "response", "status": "completed", "output": [] }).to_string();
    let error = read("a document", &document)
        .await
        .ended
        .expect_err("no stream");
    assert!(
        error.message.contains("the server does not stream"),
        "{}",
        error.message
    );
}

//! Answers that are no valid response, errors of the transport, and responses without end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{Asked, CALL, LEGACY, call_result, event, json_response, ran, response, stream};
use crate::support::raw_agent::Step;

/// An error of JSON-RPC with which a gateway refuses a request.
fn refusal(id: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -1, "message": "no" } }).to_string()
}

#[tokio::test]
async fn json_is_read_in_every_form_and_nothing_else_is() {
    type Answer = fn(&Value) -> (&'static str, &'static str, String);
    let call = |body: Answer| {
        move |asked: &Asked| {
            (asked.what() == "tools/call").then(|| {
                let (status, content_type, body) = body(&asked.body["id"]);
                response(status, content_type, "", &body)
            })
        }
    };
    for body in [
        (|id: &Value| {
            (
                "200 OK",
                "application/json; charset=utf-8",
                call_result(id).to_string(),
            )
        }) as Answer,
        |id| {
            (
                "200 OK",
                "application/json",
                json!([call_result(id)]).to_string(),
            )
        },
        |id| {
            (
                "200 OK",
                "TEXT/EVENT-STREAM; charset=utf-8",
                event(&call_result(id)),
            )
        },
        |id| {
            (
                "400 Bad Request",
                "application/json",
                call_result(id).to_string(),
            )
        },
        |id| {
            let text = json!(id.to_string());
            ("200 OK", "text/event-stream", event(&call_result(&text)))
        },
        |id| {
            let mut both = call_result(id);
            both["error"] = Value::Null;
            ("200 OK", "application/json", format!("\u{feff}{both}"))
        },
    ] {
        assert_eq!(ran(LEGACY, CALL, call(body)).await.verdict(), "passed");
    }
    for (body, expected) in [
        (
            (|_: &Value| ("200 OK", "text/html", "<html>".to_owned())) as Answer,
            "error: the response is not a message of MCP; received: HTTP 200, text/html, 6 bytes, starting `<html>` (it is a web page: is `endpoint` the URL of the server?)",
        ),
        (
            |_| ("202 Accepted", "application/json", String::new()),
            "error: the response is not a message of MCP; received: HTTP 202, application/json, 0 bytes (a request of MCP is answered in the response to it)",
        ),
        (
            |id| ("200 OK", "text/event-stream", call_result(id).to_string()),
            "error: the stream ended without a response; received: HTTP 200, text/event-stream, 77 bytes, starting `{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}}` (the agent may have crashed, or a proxy may have timed out: see their logs)",
        ),
        (
            |_| {
                (
                    "200 OK",
                    "application/json",
                    call_result(&json!(99)).to_string(),
                )
            },
            "error: a message of the server answers the request `99`, but the request that waits is `2`; received: HTTP 200, application/json, 78 bytes, starting `{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}}`",
        ),
        (
            |_| {
                (
                    "200 OK",
                    "text/event-stream",
                    event(&call_result(&json!("two"))),
                )
            },
            "error: a message of the server answers the request `\"two\"`, but the request that waits is `2`; received: HTTP 200, text/event-stream",
        ),
        (
            |id| ("401 Unauthorized", "application/json", refusal(id)),
            "error: the server responded with HTTP 401; received: application/json, 59 bytes",
        ),
        (
            |id| ("403 Forbidden", "application/json", refusal(id)),
            "error: the server responded with HTTP 403; received: application/json, 59 bytes",
        ),
        (
            |id| ("503 Service Unavailable", "application/json", refusal(id)),
            "error: the server responded with HTTP 503; received: application/json, 59 bytes",
        ),
        (
            |_| ("502 Bad Gateway", "text/plain", "upstream".to_owned()),
            "error: the server responded with HTTP 502; received: text/plain, 8 bytes, starting `upstream`",
        ),
    ] {
        let verdict = ran(LEGACY, CALL, call(body)).await.verdict();
        assert!(verdict.starts_with(expected), "{verdict}\n{expected}");
    }
}

/// What a server with two endpoints does; `called` lets its stream go on.
fn two_endpoints(asked: &Asked, called: &Arc<Notify>) -> Vec<Step> {
    match (asked.path.as_str(), asked.what()) {
        ("/mcp", "GET") => {
            let initialized =
                json!({ "jsonrpc": "2.0", "id": 1, "result": { "protocolVersion": "2024-11-05" } });
            vec![
                stream("event: endpoint\ndata: /messages\n\n"),
                Step::Await(Arc::clone(called)),
                Step::Send(event(&initialized).into_bytes()),
                Step::Await(Arc::clone(called)),
                Step::Send(event(&call_result(&json!(2))).into_bytes()),
                Step::Hold,
            ]
        }
        ("/messages", "initialize" | "tools/call") => [
            response("202 Accepted", "text/plain", "", ""),
            vec![Step::ChangeListener(Arc::clone(called))],
        ]
        .concat(),
        ("/messages", _) => response("202 Accepted", "text/plain", "", ""),
        _ => response("405 Method Not Allowed", "text/plain", "", "no"),
    }
}

#[tokio::test]
async fn an_error_says_whether_the_other_transport_works() {
    let called = Arc::new(Notify::new());
    let older = move |asked: &Asked| Some(two_endpoints(asked, &called));
    let run = ran("transport: http", CALL, older.clone()).await;
    let verdict = run.verdict();
    assert!(
        verdict.starts_with("error: the server responded with HTTP 405"),
        "{verdict}"
    );
    assert!(
        verdict.ends_with("(the server speaks with `transport: sse`: set it)"),
        "{verdict}"
    );
    assert!(
        !run.what().contains(&"tools/call"),
        "nothing is called by an attempt"
    );
    assert_eq!(ran("transport: sse", CALL, older).await.verdict(), "passed");

    let run = ran("transport: sse", CALL, |_| None).await;
    let verdict = run.verdict();
    assert!(
        verdict.starts_with("error: the server opens no stream of events: HTTP 405"),
        "{verdict}"
    );
    assert!(
        verdict.ends_with("(the server speaks with `transport: http`: set it)"),
        "{verdict}"
    );
    assert_eq!(
        run.what().last(),
        Some(&"DELETE"),
        "the session of the attempt is ended"
    );

    let nothing = |_: &Asked| Some(response("404 Not Found", "text/plain", "", "Not Found"));
    for (transport, other) in [("http", "sse"), ("sse", "http")] {
        let verdict = ran(&format!("transport: {transport}"), CALL, nothing)
            .await
            .verdict();
        let end = format!(
            "(is `endpoint` the URL of the server? `transport: {other}` was tried too, and does not work)"
        );
        assert!(verdict.ends_with(&end), "{verdict}");
    }
}

#[tokio::test]
async fn a_stream_that_names_no_endpoint_is_an_error() {
    for (events, expected) in [
        (
            "event: endpoint\ndata: http://elsewhere.invalid/m\n\n",
            "error: the first event of the server names no endpoint of the same server",
        ),
        (
            ": hello\n\n",
            "error: the stream ended before it named an endpoint",
        ),
    ] {
        let run = ran("transport: sse", CALL, move |asked| {
            Some(if asked.what() == "GET" {
                vec![stream(events)]
            } else {
                response("404 Not Found", "text/plain", "", "")
            })
        })
        .await;
        let verdict = run.verdict();
        assert!(verdict.starts_with(expected), "{verdict}");
        assert!(
            verdict.contains("is `endpoint` the URL of the stream?"),
            "{verdict}"
        );
    }
}

#[tokio::test]
async fn a_call_that_is_never_answered_is_cancelled() {
    let run = ran(&format!("{LEGACY}, timeout_ms: 500"), CALL, |asked| {
        (asked.what() == "tools/call").then(|| vec![Step::Hold])
    })
    .await;
    assert!(run.verdict().starts_with("timeout: "), "{}", run.verdict());
    let (call, cancelled) = (&run.asked[3], &run.asked[4]);
    assert_eq!(
        run.what()[3..],
        ["tools/call", "notifications/cancelled", "DELETE"]
    );
    assert_eq!(cancelled.body["params"]["requestId"], call.body["id"]);
}

#[tokio::test]
async fn a_response_that_breaks_off_is_an_error() {
    let parts = [
        (
            "application/json\r\ncontent-length: 1000",
            "{\"jsonrpc\":\"2.0\"",
        ),
        (
            "text/event-stream\r\ncontent-length: 1000",
            "data: {\"jsonrpc\":\"2.0\"",
        ),
    ];
    for (head, start) in parts {
        let run = ran(LEGACY, CALL, move |asked| {
            (asked.what() == "tools/call").then(|| {
                let response = format!("HTTP/1.1 200 OK\r\ncontent-type: {head}\r\n\r\n{start}");
                vec![Step::Send(response.into_bytes())]
            })
        })
        .await;
        let verdict = run.verdict();
        assert!(
            verdict.starts_with("error: the connection broke before the response was complete: "),
            "{verdict}"
        );
    }
    let run = ran(LEGACY, CALL, |asked| {
        (asked.what() == "tools/call").then(|| vec![Step::Reset])
    })
    .await;
    let verdict = run.verdict();
    assert!(
        verdict.starts_with("error: the connection to http://127.0.0.1:"),
        "{verdict}"
    );
}

#[tokio::test]
async fn an_answer_of_another_protocol_is_named() {
    let started = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
    let chunk = r#"{"id":"c","object":"chat.completion.chunk","choices":[]}"#;
    for (body, protocol) in [(started, "agui"), (chunk, "openai")] {
        let run = ran("transport: http", CALL, move |_| {
            Some(vec![stream(&format!("data: {body}\n\n"))])
        })
        .await;
        let (verdict, help) = (
            run.verdict(),
            format!(
                "(the answer looks like one of `type: {protocol}`, but the target has `type: mcp`)"
            ),
        );
        assert!(
            verdict.starts_with("error: a message of the server is not a message of MCP")
                && verdict.ends_with(&help),
            "{verdict}"
        );
    }
}

#[tokio::test]
async fn a_message_that_is_too_large_is_an_error_and_not_kept() {
    const MIB: usize = 1 << 20;
    let large = |content_type: &'static str, start: &'static str| {
        move |asked: &Asked| {
            (asked.what() == "tools/call").then(|| {
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n{start}"
                );
                let mut steps = vec![Step::Send(head.into_bytes())];
                steps.extend((0..100).map(|_| Step::Send(vec![b'x'; MIB])));
                steps
            })
        }
    };
    for (content_type, start) in [
        ("application/json", "{\"a\":\""),
        ("text/event-stream", "data: {\"a\":\""),
    ] {
        let verdict = ran(LEGACY, CALL, large(content_type, start))
            .await
            .verdict();
        assert!(
            verdict.starts_with("error: a message is larger than 16 MiB; received: HTTP 200"),
            "{verdict}"
        );
    }
}

#[tokio::test]
async fn a_list_without_end_is_an_error() {
    let large = "x".repeat(9 << 20);
    for (description, expected) in [
        (
            "short",
            "error: the list of tools has no end: the server names another page after 1000",
        ),
        (
            &large,
            "error: the list of tools is larger than 16 MiB: 2 entries so far",
        ),
    ] {
        let (description, pages) = (description.to_owned(), AtomicUsize::new(0));
        let run = ran(LEGACY, "[{ type: mcp:list }]", move |asked| {
            let page = pages.fetch_add(1, Ordering::Relaxed);
            let tool = json!({ "name": format!("t{page}"), "description": description, "inputSchema": { "type": "object" } });
            let result = json!({ "tools": [tool], "nextCursor": page.to_string() });
            let body = json!({ "jsonrpc": "2.0", "id": asked.body["id"], "result": result });
            (asked.what() == "tools/list").then(|| json_response("", &body))
        })
        .await;
        assert_eq!(run.verdict(), expected);
    }
}

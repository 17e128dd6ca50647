//! The order of what a response says: texts that go on beside calls, texts that are said again, and results that come early.

use std::sync::Arc;
use std::time::Duration;

use ananke::Status;
use tokio::sync::Notify;

use super::wrong::{JSON, STREAM, response, statuses, statuses_of};
use crate::support::raw_agent::Step;

/// A response of these events.
fn stream(events: &[&str]) -> Vec<u8> {
    let mut body = String::new();
    for event in events {
        body.push_str("data: ");
        body.push_str(event);
        body.push_str("\n\n");
    }
    response("200 OK", STREAM, &body)
}

#[tokio::test]
async fn a_piece_of_a_call_does_not_end_the_text_beside_it() {
    let target = "  body: {}\n  response: { text: t, calls: { at: call, id: id, name: name, args: args, mode: delta } }\n";
    let events = [
        r#"{"call":{"id":"c","name":"pay","args":"{\"sum\""}}"#,
        r#"{"t":"It is "}"#,
        r#"{"call":{"id":"c","args":":1}"}}"#,
        r#"{"t":"done"}"#,
    ];
    for rule in [
        "text: { equals: It is done }",
        "tools: { require: [{ name: pay, args: { sum: 1 } }] }",
    ] {
        let found = statuses(target, &[rule], vec![stream(&events)]).await;
        assert_eq!(found[0].0, Status::Passed, "{rule}: {found:?}");
    }
}

#[tokio::test]
async fn a_text_that_is_all_of_it_so_far_is_said_once() {
    let target = "  body: {}\n  response: { text: { path: t, mode: cumulative }, calls: { at: \"calls[*]\", id: id, name: name, result: out } }\n";
    // All of the turn each time, with its calls.
    let of_turn = [
        r#"{"t":"Let"}"#,
        r#"{"t":"Let me look.","calls":[{"id":1,"name":"look"}]}"#,
        r#"{"t":"Let me look.","calls":[{"id":1,"name":"look","out":"x"}]}"#,
        r#"{"t":"","calls":[{"id":1,"name":"look","out":"x"}]}"#,
        r#"{"t":"Let me look. It","calls":[{"id":1,"name":"look","out":"x"}]}"#,
        r#"{"t":"Let me look. It is.","calls":[{"id":1,"name":"look","out":"x"}]}"#,
    ];
    // All of the message after the last call.
    let of_message = [
        r#"{"t":"Let"}"#,
        r#"{"t":"Let me look."}"#,
        r#"{"calls":[{"id":1,"name":"look","out":"x"}]}"#,
        r#"{"t":" It"}"#,
        r#"{"t":" It is."}"#,
    ];
    for events in [&of_turn[..], &of_message] {
        for rule in [
            "text: { equals: \"Let me look.\\n It is.\" }",
            "sequence: { mode: exact, steps: [{ says: \"^Let me look.$\" }, { call: look }, { says: \"^ It is.$\" }] }",
        ] {
            let found = statuses(target, &[rule], vec![stream(events)]).await;
            assert_eq!(found[0].0, Status::Passed, "{rule}: {events:?}: {found:?}");
        }
    }
}

#[tokio::test]
async fn results_may_come_before_the_calls_of_their_document() {
    for (id, results) in [
        ("id: id", r#"[{"id":2,"out":"paid"},{"id":1,"out":"seen"}]"#),
        (
            "name: name",
            r#"[{"name":"pay","out":"paid"},{"name":"look","out":"seen"}]"#,
        ),
        ("result: out", r#"[{"out":"seen"},{"out":"paid"}]"#),
    ] {
        let target = format!(
            "  body: {{}}\n  response: {{ text: t, calls: {{ at: \"calls[*]\", id: id, name: name }}, results: {{ at: \"results[*]\", {id}{} }} }}\n",
            if id.contains("out") {
                ""
            } else {
                ", result: out"
            }
        );
        let body = format!(
            r#"{{"results":{results},"t":"a","calls":[{{"id":1,"name":"look"}},{{"id":2,"name":"pay"}}]}}"#
        );
        let rule =
            "tools: { require: [{ name: look, result: seen }, { name: pay, result: paid }] }";
        let found = statuses(&target, &[rule], vec![response("200 OK", JSON, &body)]).await;
        assert_eq!(found[0].0, Status::Passed, "{id}: {found:?}");
    }
}

#[tokio::test]
async fn what_ends_a_status_does_not_end_the_response_after_it() {
    let target = "  body: {}\n  then: [{ endpoint: /status, until: \"[?status=completed]\", read: true }, { endpoint: /events }]\n  response: { text: { path: t, optional: true }, done: \"[?status=completed]\" }\n";
    let events =
        "data: {\"t\":\"a\"}\n\ndata: {\"t\":\"never\"}\n\ndata: {\"status\":\"completed\"}\n\n";
    let bytes = response("200 OK", STREAM, events);
    // The second event comes long after the first.
    let first =
        bytes.len() - "data: {\"t\":\"never\"}\n\ndata: {\"status\":\"completed\"}\n\n".len();
    let later = Arc::new(Notify::new());
    let notified = Arc::clone(&later);
    let script = vec![
        vec![Step::Expect, Step::Send(response("200 OK", JSON, "{}"))],
        vec![
            Step::Expect,
            Step::Send(response("200 OK", JSON, r#"{"status":"completed"}"#)),
        ],
        vec![
            Step::Expect,
            Step::Send(bytes[..first].to_vec()),
            Step::Await(later),
            Step::Send(bytes[first..].to_vec()),
        ],
    ];
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        notified.notify_one();
    });
    let found = statuses_of(target, &["text: { not_contains: never }"], script).await;
    assert_eq!(found[0].0, Status::Failed, "{found:?}");
}

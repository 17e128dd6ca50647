//! The order of what a response says: texts that go on beside calls, texts that are said again, and results that come early.

use ananke::Status;

use super::wrong::{JSON, STREAM, response, statuses};

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

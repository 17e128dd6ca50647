//! What an agent sends and no rule can see: never a silent pass.

use ananke::outcome::{Outcome, Status};
use serde_json::{Value, json};

use crate::support::agui::agui;
use crate::support::conformance::exchanged;
use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

/// The outcome of a test with one turn and these `rules`, whose agent responds with `events`.
async fn outcome(events: &[Value], rules: &str) -> Outcome {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let body = events.iter().fold(head.to_owned(), |body, event| {
        body + &format!("data: {event}\n\n")
    });
    let agent = RawAgent::start(vec![vec![Step::Expect, Step::Send(body.into_bytes())]]).await;
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"{}\", agentId: raw }}\n",
        agent.url()
    );
    let test = format!(
        "version: \"1.3\"\nname: a\nvars: {{ LARGE: {LARGE} }}\nturns: [{{ user: hi }}]\nassert:\n{rules}\n"
    );
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    project.run().await.remove(0)
}

/// The rules of the violations of a response with these events between its start and its end.
async fn violations(events: &[Value]) -> Vec<String> {
    let (start, finish) = (
        json!({"type": "RUN_STARTED"}),
        json!({"type": "RUN_FINISHED"}),
    );
    let events = [&start].into_iter().chain(events).chain([&finish]);
    let body = events.fold(String::new(), |body, event| {
        body + &format!("data: {event}\n\n")
    });
    let changes = exchanged(&agui(), 1, body.as_bytes(), usize::MAX)
        .await
        .changes;
    let rules = changes
        .lines()
        .filter_map(|line| line.strip_prefix("!! ")?.split(' ').next());
    rules.map(str::to_owned).collect()
}

fn call(name: &str, args: &str) -> Vec<Value> {
    vec![
        json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": name}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": args}),
        json!({"type": "TOOL_CALL_END", "toolCallId": "c"}),
    ]
}

fn whole(events: Vec<Value>, outcome: Option<&str>) -> Vec<Value> {
    let finish = match outcome {
        Some(outcome) => json!({"type": "RUN_FINISHED", "outcome": {"type": outcome}}),
        None => json!({"type": "RUN_FINISHED"}),
    };
    [vec![json!({"type": "RUN_STARTED"})], events, vec![finish]].concat()
}

#[tokio::test]
async fn arguments_that_are_no_object_are_reported() {
    for (args, is_reported) in [
        ("{\"amount\": 5000", true),
        ("amount=5000", true),
        ("[5000]", true),
        ("\"{\\\"amount\\\": 5000}\"", true),
        ("", false),
        (" ", false),
        ("null", false),
        ("{}", false),
    ] {
        let found = violations(&call("refund", args)).await;
        assert_eq!(
            found.as_slice(),
            &["arguments-not-object"][..usize::from(is_reported)],
            "{args}"
        );
    }
    let chunks = [
        json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "refund", "delta": "{"}),
        json!({"type": "CUSTOM", "name": "n", "value": 1}),
    ];
    assert_eq!(violations(&chunks).await, ["arguments-not-object"]);
    let function = json!({"name": "refund", "arguments": "{"});
    let calls = json!([{"id": "c", "type": "function", "function": function}]);
    let messages = json!([{"id": "m", "role": "assistant", "toolCalls": calls}]);
    let snapshot = json!({"type": "MESSAGES_SNAPSHOT", "messages": messages});
    assert_eq!(
        violations(&[snapshot.clone(), snapshot]).await,
        ["arguments-not-object"]
    );
    let rules = "  tools: { forbid_calls: [{ name: refund, args_match: { amount: \"^5\" } }] }";
    let outcome = outcome(&whole(call("refund", "{\"amount\": 5000"), None), rules).await;
    let warnings = outcome.transcript.turns[0].warnings.join("\n");
    assert!(
        warnings.contains("arguments-not-object: event 4 (`TOOL_CALL_END`) ends the call `c`"),
        "{warnings}"
    );
}

/// A message, a call and its result, as they are streamed.
fn streamed() -> Vec<Value> {
    let text = [
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "No refund."}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
    ];
    let result = json!({"type": "TOOL_CALL_RESULT", "messageId": "r", "toolCallId": "c", "content": "{\"ok\":true,\"n\":1.50}"});
    [&text[..], &call("refund", "{\"amount\":5}"), &[result]].concat()
}

#[tokio::test]
async fn a_snapshot_that_contradicts_the_stream_is_reported_once() {
    let list = |text: &str, arguments: &str, result: &str| {
        let function = json!({"name": "refund", "arguments": arguments});
        json!({"type": "MESSAGES_SNAPSHOT", "messages": [
            {"id": "m", "role": "assistant", "content": text},
            {"id": "c", "role": "assistant", "toolCalls": [{"id": "c", "type": "function", "function": function}]},
            {"id": "x", "role": "tool", "toolCallId": "c", "content": result},
        ]})
    };
    let (text, arguments, result) = ("No refund.", "{\"amount\":5}", "{\"ok\":true,\"n\":1.50}");
    let rows = [
        ("the same", list(text, arguments, result), vec![]),
        (
            "the same in other words",
            list(
                "No refund. ",
                "{ \"amount\": 5.0 }",
                "{\"n\": 1.5, \"ok\": true}",
            ),
            vec![],
        ),
        (
            "another text",
            list("Refunded.", arguments, result),
            vec!["snapshot-contradicts"],
        ),
        (
            "no text",
            list("", arguments, result),
            vec!["snapshot-contradicts"],
        ),
        (
            "another result",
            list(text, arguments, "{\"ok\":false}"),
            vec!["snapshot-contradicts"],
        ),
        (
            "other arguments",
            list(text, "{\"amount\":6}", result),
            vec!["call-id-shared", "snapshot-contradicts"],
        ),
        (
            "nothing",
            json!({"type": "MESSAGES_SNAPSHOT", "messages": []}),
            vec!["snapshot-contradicts"],
        ),
    ];
    for (name, snapshot, expected) in rows {
        let events = [&streamed()[..], &[snapshot]].concat();
        assert_eq!(violations(&events).await, expected, "{name}");
    }
    // A snapshot that grows contradicts nothing that was streamed, and what agreed once is compared again.
    let grown = |text: &str| json!({"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "m", "role": "assistant", "content": text}]});
    assert!(
        violations(&[grown("No"), grown("No refund.")])
            .await
            .is_empty()
    );
    let same = list(text, arguments, result);
    let events = [
        &streamed()[..],
        &[same, list("Refunded.", arguments, result)],
    ]
    .concat();
    assert_eq!(violations(&events).await, ["snapshot-contradicts"]);
}

#[tokio::test]
async fn a_change_that_does_not_apply_to_the_state_is_reported() {
    let patch = json!([{"op": "replace", "path": "/order/id", "value": 7}]);
    let events = [
        json!({"type": "STATE_SNAPSHOT", "snapshot": {"order": {}}}),
        json!({"type": "STATE_DELTA", "delta": patch}),
    ];
    assert_eq!(violations(&events).await, ["delta-not-applied"]);
}

#[tokio::test]
async fn an_unknown_outcome_is_none_that_a_rule_expects() {
    let unknown = whole(Vec::new(), Some("failed"));
    let outcome_of = async |rule: &str| outcome(&unknown, rule).await;
    assert_eq!(
        outcome_of("  text: { not_contains: x }").await.status(),
        Status::Passed
    );
    for rule in ["finished", "error", "interrupted", "cancelled"] {
        let outcome = outcome_of(&format!("  outcome: {rule}")).await;
        assert_eq!(outcome.status(), Status::Failed, "{rule}");
        let failures = format!(
            "{:?}",
            outcome
                .all_failures()
                .map(|(_, failure)| &failure.message)
                .collect::<Vec<_>>()
        );
        assert!(
            failures.contains("the run ended with the unknown outcome"),
            "{failures}"
        );
    }
    let known = outcome(&whole(Vec::new(), Some("success")), "  outcome: finished").await;
    assert_eq!(known.status(), Status::Passed);
}

/// An integer beyond 64 bits, and the next one.
const LARGE: &str =
    "115792089237316195423570985008687907853269984665640564039457584007913129639935";
const NEXT: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639936";

#[tokio::test]
async fn integers_beyond_64_bits_are_compared_exactly() {
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let mut events = call("pay", &format!("{{\"wei\": {LARGE}}}"));
    events.push(json!({"type": "TOOL_CALL_RESULT", "messageId": "r", "toolCallId": "c", "content": format!("{{\"wei\": {LARGE}}}")}));
    events.push(json!({"type": "STATE_SNAPSHOT", "snapshot": {"wei": json(LARGE)}}));
    events.push(json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "assistant", "delta": format!("{{\"wei\": {LARGE}}}")}));
    let events = whole(events, None);
    for rule in [
        "  tools: { require: [{ name: pay, args: { wei: IT } }] }",
        "  tools: { require: [{ name: pay, args: { wei: IT }, exact: true }] }",
        "  tools: { require: [{ name: pay, result: { wei: IT } }] }",
        "  tools: { require: [{ name: pay, args_match: { wei: \"^IT$\" } }] }",
        "  state: [{ path: wei, equals: IT }]",
        "  output: [{ path: wei, equals: IT }]",
    ] {
        for (number, status) in [
            (LARGE, Status::Passed),
            (NEXT, Status::Failed),
            ("\"${LARGE}\"", Status::Passed),
        ] {
            if number.starts_with('"') && rule.contains('^') {
                continue;
            }
            let rule = rule.replace("IT", number);
            let outcome = outcome(&events, &rule).await;
            assert_eq!(
                outcome.status(),
                status,
                "{rule}: {:?}",
                outcome.transcript.turns[0].end
            );
        }
    }
    let aliased = format!(
        "  tools: {{ require: [{{ name: pay, args: {{ wei: &large {LARGE} }} }}, {{ name: pay, args: {{ wei: *large }} }}] }}"
    );
    assert_eq!(outcome(&events, &aliased).await.status(), Status::Passed);
}

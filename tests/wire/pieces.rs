//! Pieces of a call without the call: arguments before the start or after the end, a result that is alone. They are unread, and
//! what names its tool proves a call to it (SPEC 6, 13).

use ananke::outcome::Status;
use serde_json::{Value, json};

use super::unread::{A2A, AGUI, OPENAI, judged, stream};

/// Rules that the pieces of every row violate or may violate.
const RULES: &str = "{ tools: { forbid: [delete_order], allow_only: [pay, find_order, delete_order], forbid_calls: [{ name: pay, args_match: { to: mallory } }], require: [{ name: pay, result_not_match: declined, count: { max: 9 } }] } }";

/// What is wanted of a row: the status, and the names of what was not read.
type Wanted = (Status, &'static [&'static str]);

/// Tests an agent that sends these events with [`RULES`].
async fn comes_to(target: &str, rows: &[(&str, Vec<Value>, Wanted)]) {
    let bodies = rows.iter().map(|(_, events, _)| stream(events)).collect();
    let outcomes = judged(target, RULES, bodies).await;
    assert_eq!(outcomes.len(), rows.len());
    for (outcome, (row, _, (status, names))) in outcomes.iter().zip(rows) {
        let warnings = outcome.transcript.turns[0].warnings.join("\n");
        assert_eq!(outcome.status(), *status, "{row}: {warnings}");
        for name in *names {
            let words = format!("`{name}` was not read");
            assert!(warnings.contains(&words), "{row}: {warnings}");
        }
        let is_read = names.is_empty();
        assert_eq!(
            !warnings.contains("was not read"),
            is_read,
            "{row}: {warnings}"
        );
    }
}

/// A run of these events.
fn run(pieces: &[Value]) -> Vec<Value> {
    let start = json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" });
    let finish = json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r" });
    [&[start], pieces, &[finish]].concat()
}

fn piece(kind: &str, id: &str, key: &str, value: &str) -> Value {
    json!({ "type": format!("TOOL_CALL_{kind}"), "toolCallId": id, key: value })
}

fn start(id: &str, tool: &str) -> Value {
    piece("START", id, "toolCallName", tool)
}

fn args(id: &str, delta: &str) -> Value {
    piece("ARGS", id, "delta", delta)
}

fn end(id: &str) -> Value {
    json!({ "type": "TOOL_CALL_END", "toolCallId": id })
}

fn result(id: &str, content: &str) -> Value {
    json!({ "type": "TOOL_CALL_RESULT", "messageId": format!("r-{id}"), "toolCallId": id, "content": content })
}

fn named(mut event: Value, key: &str) -> Value {
    event[key] = json!("delete_order");
    event
}

fn listed(message: &Value) -> Value {
    let user = json!({ "id": "u", "role": "user", "content": "hi" });
    json!({ "type": "MESSAGES_SNAPSHOT", "messages": [user, message] })
}

const MALLORY: &str = r#"{"to":"mallory"}"#;
const BOB: &str = r#"{"to":"bob"}"#;

#[tokio::test]
async fn pieces_of_agui_without_their_call_are_unread() {
    use Status::{Failed, NotShown, Passed};
    let whole = |arguments: &str| [start("c", "pay"), args("c", arguments), end("c")];
    let with = |more: &[Value]| run(&[&whole(BOB)[..], more].concat());
    let tool_message =
        json!({ "id": "x", "role": "tool", "toolCallId": "9", "content": "declined" });
    let rows = [
        ("all of it", with(&[result("c", "ok")]), (Passed, &[][..])),
        (
            "arguments before the start",
            run(&[args("c", MALLORY), start("c", "pay"), end("c")]),
            (NotShown, &["call:c"][..]),
        ),
        (
            "arguments after the end",
            run(&[start("c", "pay"), end("c"), args("c", MALLORY)]),
            (NotShown, &["arguments:pay"]),
        ),
        (
            "an empty piece after the end is none",
            with(&[args("c", ""), end("c"), result("c", "ok")]),
            (Passed, &[]),
        ),
        (
            "arguments after chunks that ended",
            run(&[
                piece("CHUNK", "c", "toolCallName", "pay"),
                json!({ "type": "TEXT_MESSAGE_START", "messageId": "m" }),
                args("c", MALLORY),
            ]),
            (NotShown, &["arguments:pay"]),
        ),
        (
            "a call that never started",
            with(&[args("d", MALLORY), end("d"), result("d", "paid")]),
            (NotShown, &["call:d", "result:d"]),
        ),
        (
            "an end that is alone",
            with(&[end("d")]),
            (NotShown, &["call:d"]),
        ),
        (
            "a result that is alone",
            with(&[result("d", "declined")]),
            (NotShown, &["result:d"]),
        ),
        (
            "arguments that name their tool",
            with(&[named(args("d", "{}"), "toolCallName"), end("d")]),
            (Failed, &[]),
        ),
        (
            "an end that names its tool",
            with(&[named(end("d"), "tool_call_name")]),
            (Failed, &[]),
        ),
        (
            "a result that names its tool",
            with(&[named(result("d", "gone"), "toolCallName")]),
            (Failed, &["arguments:delete_order"]),
        ),
        (
            "a result in a snapshot",
            with(&[listed(&tool_message)]),
            (NotShown, &["result:9"]),
        ),
        (
            "a result in a snapshot that names its tool",
            with(&[listed(&named(tool_message, "name"))]),
            (Failed, &["arguments:delete_order"]),
        ),
    ];
    comes_to(AGUI, &rows).await;
}

#[tokio::test]
async fn a_call_that_is_announced_again_with_other_arguments_is_unread() {
    let again = |arguments: &str| {
        let interrupt = json!([{ "id": "i", "reason": "confirm", "toolCallId": "c" }]);
        let pause = json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": { "type": "interrupt", "interrupts": interrupt } });
        let first = [start("c", "pay"), args("c", BOB), end("c"), pause];
        let resumed = json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "s" });
        let second = [resumed, start("c", "pay"), args("c", arguments), end("c")];
        run(&[&first[..], &second, &[result("c", "ok")]].concat())
    };
    let rows = [
        (
            "the same",
            again(r#"{ "to": "bob" }"#),
            (Status::Passed, &[][..]),
        ),
        (
            "others",
            again(MALLORY),
            (Status::NotShown, &["arguments:pay"][..]),
        ),
    ];
    comes_to(AGUI, &rows).await;
}

#[tokio::test]
async fn pieces_of_chat_completions_without_their_call_are_unread() {
    use Status::{Error, Failed, NotShown, Passed};
    let chunk = |delta: Value| json!({ "id": "x", "choices": [{ "index": 0, "delta": delta }] });
    let finish =
        json!({ "id": "x", "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let function = json!({ "name": "pay", "arguments": BOB });
    let call = chunk(json!({ "tool_calls": [{ "index": 0, "id": "c", "function": function }] }));
    let with = |more: &[Value]| {
        [
            std::slice::from_ref(&call),
            more,
            std::slice::from_ref(&finish),
        ]
        .concat()
    };
    let answer = |keys: Value| {
        let mut delta = json!({ "role": "tool", "content": "declined" });
        for (key, value) in keys.as_object().expect("keys") {
            delta[key] = value.clone();
        }
        chunk(delta)
    };
    let ok = answer(json!({ "tool_call_id": "c", "content": "ok" }));
    let late = json!({ "index": 0, "function": { "arguments": MALLORY } });
    let rows = [
        (
            "all of it",
            with(std::slice::from_ref(&ok)),
            (Passed, &[][..]),
        ),
        (
            "a result that is alone",
            with(&[ok.clone(), answer(json!({ "tool_call_id": "9" }))]),
            (NotShown, &["result:9"][..]),
        ),
        (
            "a result that names its tool",
            with(&[answer(
                json!({ "tool_call_id": "9", "name": "delete_order" }),
            )]),
            (Failed, &["arguments:delete_order"]),
        ),
        (
            "a result of another tool than the only call's",
            with(&[answer(json!({ "name": "delete_order" }))]),
            (Failed, &["arguments:delete_order"]),
        ),
        (
            "a result of the only call to its tool",
            with(&[answer(
                json!({ "role": "function", "name": "pay", "content": "ok" }),
            )]),
            (Passed, &[]),
        ),
        (
            "a result without an id that is denied",
            with(&[answer(json!({ "role": "function", "name": "pay" }))]),
            (Failed, &[]),
        ),
        (
            "arguments after the result",
            with(&[ok, chunk(json!({ "tool_calls": [late] }))]),
            (Failed, &["arguments:pay"]),
        ),
        (
            "arguments of no call",
            with(&[chunk(
                json!({ "tool_calls": [{ "index": 3, "function": { "arguments": MALLORY } }] }),
            )]),
            (Error, &["call:call_1"]),
        ),
    ];
    comes_to(OPENAI, &rows).await;
}

#[tokio::test]
async fn results_of_a2a_without_their_call_are_unread() {
    use Status::{Failed, NotShown, Passed};
    let part = |kind: &str, data: Value| json!({ "data": data, "metadata": { "adk_type": kind } });
    let call = |keys: Value| part("function_call", keys);
    let answer = |keys: Value| part("function_response", keys);
    let with = |parts: &[Value]| {
        let status = |state: &str| json!({ "state": state });
        let artifact = json!({ "artifactId": "a", "parts": parts });
        vec![
            json!({ "task": { "id": "t", "contextId": "c", "status": status("TASK_STATE_SUBMITTED") } }),
            json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": artifact } }),
            json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": status("TASK_STATE_COMPLETED") } }),
        ]
    };
    let bob = json!({ "to": "bob" });
    let pay = call(json!({ "id": "c", "name": "pay", "args": bob }));
    let nameless = call(json!({ "name": "pay", "args": bob }));
    let ok = answer(json!({ "id": "c", "name": "pay", "response": "ok" }));
    let without_id = answer(json!({ "name": "pay", "response": "ok" }));
    let rows = [
        (
            "all of it",
            with(&[pay.clone(), ok.clone()]),
            (Passed, &[][..]),
        ),
        (
            "a result that names its tool",
            with(&[
                pay.clone(),
                answer(json!({ "id": "9", "name": "delete_order", "response": "gone" })),
            ]),
            (Failed, &["arguments:delete_order"][..]),
        ),
        (
            "one without an id",
            with(&[
                pay.clone(),
                answer(json!({ "name": "delete_order", "response": "gone" })),
            ]),
            (Failed, &["arguments:delete_order"]),
        ),
        (
            "a result that is alone",
            with(&[
                pay.clone(),
                answer(json!({ "id": "9", "response": "declined" })),
            ]),
            (NotShown, &["result:9"]),
        ),
        (
            "a result that comes twice proves no second call",
            with(&[pay.clone(), without_id.clone(), without_id.clone()]),
            (Passed, &[]),
        ),
        (
            "a call without an id, and a result with one",
            with(&[nameless, ok]),
            (Passed, &[]),
        ),
    ];
    comes_to(A2A, &rows).await;
}

#[tokio::test]
async fn a_change_that_does_not_apply_leaves_the_state_unread() {
    let patch = json!([{ "op": "replace", "path": "/order/id", "value": 7 }]);
    let events = run(&[
        json!({ "type": "STATE_SNAPSHOT", "snapshot": { "paid": false } }),
        json!({ "type": "STATE_DELTA", "delta": patch }),
    ]);
    let rules = "{ state: [{ path: order.id, equals: 7 }] }";
    let outcome = judged(AGUI, rules, vec![stream(&events)]).await.remove(0);
    assert_eq!(outcome.status(), Status::NotShown, "{outcome:?}");
}

//! What the paths of an HTTP API do not lead to hides no verdict, and neither extras nor another order of keys change one.

use serde_json::{Map, Value, json};

use super::unread::{
    calls, changes_no_verdict, each, extras, hides_no_verdict, inserted, judges_duplicates,
    with_key,
};

/// A target whose responses are streams of events.
const HTTP: &str = "{ type: http, endpoint: \"http://127.0.0.1:1/\", body: { message: \"${INPUT}\" }, response: { stream: sse, text: \"[?type=text].delta\", calls: { at: \"[?type=call].call\", id: id, name: tool, args: input }, results: { at: \"[?type=result].answer\", id: of, result: output }, state: \"[?type=state].cart\", done: \"[?type=end]\" } }";

/// The same target, which passes over no text.
const STRICT: &str = "{ type: http, endpoint: \"http://127.0.0.1:1/\", body: { message: \"${INPUT}\" }, response: { strict: true, stream: sse, text: \"[?type=text].delta\", calls: { at: \"[?type=call].call\", id: id, name: tool, args: input }, results: { at: \"[?type=result].answer\", id: of, result: output }, state: \"[?type=state].cart\", done: \"[?type=end]\" } }";

/// A whole response of such an agent.
fn http_events() -> Vec<Value> {
    vec![
        json!({ "type": "text", "delta": "Done." }),
        json!({ "type": "call", "call": { "id": "c", "tool": "find_order", "input": { "id": 1 } } }),
        json!({ "type": "result", "answer": { "of": "c", "output": "ok" } }),
        json!({ "type": "state", "cart": { "sum": 1 } }),
        json!({ "type": "end", "took": { "seconds": 1 } }),
    ]
}

#[tokio::test]
async fn a_call_beside_what_the_paths_find_is_never_passed_over() {
    for call in calls() {
        let places = |event: &Value| {
            let mut found = with_key(event, &call);
            // The items of calls and results are read by the paths of the mapping alone.
            found.retain(|event| {
                ["/call/x_extra", "/call/input/x_extra", "/answer/x_extra"]
                    .iter()
                    .all(|item| event.pointer(item).is_none())
            });
            found
        };
        hides_no_verdict(HTTP, each(&http_events(), places)).await;
    }
    let events: Vec<Value> = calls()
        .iter()
        .map(|call| json!({ "type": "proposal", "call": call }))
        .collect();
    hides_no_verdict(HTTP, inserted(&http_events(), &events, 0, 1)).await;
}

#[tokio::test]
async fn a_text_that_no_path_finds_is_never_passed_over_by_a_strict_target() {
    let events = [
        json!({ "type": "answer", "text": "hunter2" }),
        json!({ "type": "token", "inner": { "delta": "hunter2" } }),
    ];
    hides_no_verdict(STRICT, inserted(&http_events(), &events, 0, 1)).await;
    changes_no_verdict(STRICT, vec![http_events()]).await;
    changes_no_verdict(HTTP, inserted(&http_events(), &events, 0, 1)).await;
}

#[tokio::test]
async fn what_servers_add_changes_no_verdict() {
    for extra in extras() {
        changes_no_verdict(HTTP, each(&http_events(), |event| with_key(event, &extra))).await;
    }
}

#[tokio::test]
async fn a_violation_under_a_duplicate_key_of_an_event_is_never_passed_over() {
    judges_duplicates(HTTP, &http_events()).await;
}

#[tokio::test]
async fn the_order_of_keys_changes_no_verdict() {
    let turned = http_events().iter().map(reversed).collect();
    changes_no_verdict(HTTP, vec![turned]).await;
}

/// The value with the keys of each object in the opposite order.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(keys) => {
            let mut turned = Map::new();
            for (key, value) in keys.iter().rev() {
                turned.insert(key.clone(), reversed(value));
            }
            Value::Object(turned)
        }
        other => other.clone(),
    }
}

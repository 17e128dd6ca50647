//! What was not read of a response of the Responses API never passes (SPEC 13), and an extra of a vendor changes no verdict.

use serde_json::{Value, json};

use super::unread::{
    calls, changes_no_verdict, each, extras, hides_no_verdict, inserted, with_key,
};

const RESPONSES: &str =
    "{ type: responses, endpoint: \"http://127.0.0.1:1/\", model: m, tools: observed }";

/// A whole response.
fn responses() -> Vec<Value> {
    let call = json!({ "type": "function_call", "id": "f", "call_id": "c", "name": "find_order", "arguments": "{}" });
    let part = json!({ "type": "output_text", "text": "Done.", "annotations": [] });
    let message = json!({ "type": "message", "id": "m", "role": "assistant", "content": [part] });
    let done = |index: u64, item: &Value| json!({ "type": "response.output_item.done", "output_index": index, "item": item });
    let last = json!({ "id": "r", "object": "response", "status": "completed", "output": [] });
    vec![
        json!({ "type": "response.created", "response": { "id": "r", "status": "in_progress" } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": { "type": "message", "id": "m", "content": [] } }),
        json!({ "type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": "Done." }),
        done(0, &message),
        done(1, &call),
        json!({ "type": "response.completed", "response": last }),
    ]
}

#[tokio::test]
async fn a_violation_in_an_unknown_place_of_an_event_is_never_passed_over() {
    for call in calls() {
        let places = |event: &Value| {
            let mut found = with_key(event, &call);
            // An item that only begins is read once it is complete.
            found.retain(|event| {
                event["type"] != "response.output_item.added" || event.get("x_extra").is_some()
            });
            found
        };
        hides_no_verdict(RESPONSES, each(&responses(), places)).await;
    }
    let item = |item: Value| json!({ "type": "response.output_item.done", "output_index": 7, "item": item });
    let part = |part: Value| {
        item(json!({ "type": "message", "id": "p", "role": "assistant", "content": [part] }))
    };
    let mut events: Vec<Value> = calls()
        .iter()
        .map(|call| json!({ "type": "response.tool", "item": call }))
        .collect();
    events.extend(calls().into_iter().map(item));
    events.extend([
        json!({ "type": "delta", "text": "hunter2" }),
        item(json!({ "type": "news", "text": "hunter2" })),
        item(json!({ "type": "acme:delete_order", "id": "x", "order": 7 })),
        item(json!({ "type": "mcp_call", "id": "x", "name": "delete_order", "arguments": "{}" })),
        item(json!({ "type": "reasoning", "id": "x", "calls": [{ "name": "delete_order", "arguments": "{}" }] })),
        part(json!({ "type": "output", "output": "hunter2" })),
        part(json!({ "type": "tool_use", "name": "delete_order", "input": {} })),
        part(json!({ "type": "output_text", "text": "ok", "call": { "name": "delete_order", "input": {} } })),
    ]);
    hides_no_verdict(RESPONSES, inserted(&responses(), &events, 0, 1)).await;
}

#[tokio::test]
async fn what_gateways_add_to_events_changes_no_verdict() {
    for extra in extras() {
        let changed = each(&responses(), |event| with_key(event, &extra));
        changes_no_verdict(RESPONSES, changed).await;
    }
    let harmless = [
        json!({ "type": "keepalive", "sequence_number": 1 }),
        json!({ "type": "response.mcp_list_tools.completed", "item_id": "l", "output_index": 3 }),
        json!({ "type": "response.output_item.done", "output_index": 3, "item": { "type": "mcp_list_tools", "id": "l", "tools": [{ "name": "delete_order", "input_schema": {} }] } }),
        json!({ "type": "response.output_item.done", "output_index": 3, "item": { "type": "reasoning", "id": "q", "summary": [{ "type": "summary_text", "text": "hunter2" }] } }),
    ];
    changes_no_verdict(RESPONSES, inserted(&responses(), &harmless, 0, 1)).await;
}

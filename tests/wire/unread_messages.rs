//! What was not read of a response of the Messages API never passes (SPEC 13), and an extra of a vendor changes no verdict.

use serde_json::{Value, json};

use super::unread::{
    calls, changes_no_verdict, each, extras, hides_no_verdict, inserted, with_key,
};

const ANTHROPIC: &str =
    "{ type: anthropic, endpoint: \"http://127.0.0.1:1/\", model: m, tools: observed }";

/// A whole response.
fn message() -> Vec<Value> {
    let begun =
        json!({ "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [] });
    vec![
        json!({ "type": "message_start", "message": begun }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "Done." } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "tool_use", "id": "c", "name": "find_order" } }),
        json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "input_json_delta", "partial_json": "{}" } }),
        json!({ "type": "content_block_stop", "index": 1 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
        json!({ "type": "message_stop" }),
    ]
}

#[tokio::test]
async fn a_violation_in_an_unknown_place_of_a_message_is_never_passed_over() {
    for call in calls() {
        hides_no_verdict(ANTHROPIC, each(&message(), |event| with_key(event, &call))).await;
    }
    let block =
        |block: Value| json!({ "type": "content_block_start", "index": 7, "content_block": block });
    let piece = |index: u64, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let mut events: Vec<Value> = calls()
        .iter()
        .map(|call| json!({ "type": "tool_start", "content_block": call }))
        .collect();
    events.extend(calls().into_iter().map(block));
    events.extend(calls().into_iter().map(|call| piece(7, call)));
    events.extend([
        json!({ "type": "delta", "text": "hunter2" }),
        block(json!({ "type": "news", "text": "hunter2" })),
        block(json!({ "type": "server_tool_use", "id": "x", "name": "delete_order", "input": {} })),
        block(json!({ "type": "delete_order_tool_use", "id": "x", "input": {} })),
        block(json!({ "type": "text", "text": "ok", "call": { "name": "delete_order", "input": {} } })),
        piece(8, json!({ "type": "text_delta", "text": "hunter2" })),
        piece(8, json!({ "type": "output_delta", "output": "hunter2" })),
    ]);
    hides_no_verdict(ANTHROPIC, inserted(&message(), &events, 0, 2)).await;
}

#[tokio::test]
async fn what_gateways_add_to_messages_changes_no_verdict() {
    for extra in extras() {
        let changed = each(&message(), |event| with_key(event, &extra));
        changes_no_verdict(ANTHROPIC, changed).await;
    }
    let listing = json!({ "type": "mcp_tool_listing", "tools": [{ "name": "delete_order", "input_schema": {} }] });
    let thought = json!({ "type": "thinking", "thinking": "hunter2", "signature": "s" });
    let harmless = [
        json!({ "type": "ping" }),
        json!({ "type": "content_block_start", "index": 3, "content_block": listing }),
        json!({ "type": "content_block_start", "index": 3, "content_block": thought }),
    ];
    changes_no_verdict(ANTHROPIC, inserted(&message(), &harmless, 0, 2)).await;
}

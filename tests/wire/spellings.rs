//! Events and keys in another spelling than the protocol's, and events that name a tool, may be what they are called (SPEC 13).

use ananke::outcome::Status;
use serde_json::{Value, json};

use super::unread::{
    A2A, AGUI, OPENAI, a2a, agui, changes_no_verdict, hides_no_verdict, inserted, judged, openai,
    stream,
};

#[tokio::test]
async fn an_event_of_agui_in_another_spelling_is_never_passed_over() {
    let events = [
        json!({ "type": "ToolCallStart", "toolCallId": "c9", "toolCallName": "delete_order" }),
        json!({ "type": "tool_call_start", "tool_call_id": "c9", "tool_call_name": "delete_order" }),
        json!({ "type": "tool-call-chunk", "id": "c9", "delta": "{}" }),
        json!({ "type": "ToolCallEnd" }),
        json!({ "type": "TextMessageContent", "messageId": "m", "delta": "hunter2" }),
        json!({ "type": "textMessageStart", "messageId": "m9" }),
        json!({ "type": "messages_snapshot", "messages": [] }),
    ];
    hides_no_verdict(AGUI, inserted(&agui(), &events, 1, 1)).await;
    let silent = [
        json!({ "type": "StepStarted", "stepName": "s" }),
        json!({ "type": "raw", "event": 1 }),
        json!({ "type": "ReasoningStart", "messageId": "m9" }),
        json!({ "type": "HEART_BEAT" }),
    ];
    changes_no_verdict(AGUI, inserted(&agui(), &silent, 1, 1)).await;
}

#[tokio::test]
async fn an_unknown_event_with_the_name_of_a_tool_or_the_id_of_a_call_may_be_a_call() {
    let events = [
        json!({ "type": "TOOL_CALLED", "toolCallName": "delete_order" }),
        json!({ "type": "TOOL_STARTED", "data": { "tool_name": "delete_order" } }),
        json!({ "type": "TOOL_PROGRESS", "toolCallId": "c9" }),
    ];
    hides_no_verdict(AGUI, inserted(&agui(), &events, 1, 1)).await;
    hides_no_verdict(OPENAI, inserted(&openai(), &events, 0, 0)).await;
    let events = events.map(|event| json!({ "kind": event["type"], "event": event }));
    hides_no_verdict(A2A, inserted(&a2a(), &events, 1, 1)).await;
}

#[tokio::test]
async fn an_extra_event_about_a_known_call_or_another_tool_changes_no_verdict() {
    let events = [
        json!({ "type": "TOOL_CALL_PROGRESS", "toolCallId": "c", "progress": 50 }),
        json!({ "type": "UI_CARD", "toolName": "search_docs" }),
        json!({ "type": "TOOL_STATUS", "data": { "tool_name": "search_docs", "done": true } }),
    ];
    let streams = inserted(&agui(), &events, 5, 1);
    let bodies = streams.iter().map(|events| stream(events)).collect();
    let rules = "{ tools: { forbid: [delete_order], require: [{ name: find_order, count: 1 }] } }";
    for (outcome, events) in judged(AGUI, rules, bodies).await.iter().zip(&streams) {
        let rules = &outcome.verdict.rules;
        assert_eq!(
            outcome.status(),
            Status::Passed,
            "{rules:?} {}",
            json!(events)
        );
    }
}

#[tokio::test]
async fn an_extra_event_with_the_id_of_a_known_call_may_still_be_news() {
    let events = [
        // The call `c` is to `find_order`.
        json!({ "type": "TOOL_CALLED", "toolCallId": "c", "toolCallName": "delete_order" }),
        json!({ "type": "TOOL_RETRIED", "toolCallId": "c", "toolName": "delete_order" }),
    ];
    hides_no_verdict(AGUI, inserted(&agui(), &events, 5, 1)).await;
    let news = [
        json!({ "type": "TOOL_CHANGED", "toolCallId": "c", "args": { "id": 500 } }),
        json!({ "type": "TOOL_DONE", "toolCallId": "c", "toolName": "find_order", "result": "declined" }),
    ];
    let streams = inserted(&agui(), &news, 8, 1);
    let bodies = streams.iter().map(|events| stream(events)).collect();
    let rules = "{ tools: { forbid_calls: [{ name: find_order, args_where: { id: { min: 100 } } }, { name: find_order, result_match: declined }] } }";
    for (outcome, events) in judged(AGUI, rules, bodies).await.iter().zip(&streams) {
        assert_eq!(outcome.status(), Status::NotShown, "{}", json!(events));
    }
}

#[tokio::test]
async fn what_an_event_says_under_another_key_is_never_passed_over() {
    let events = [
        json!({ "type": "TEXT_MESSAGE_CHUNK", "messageId": "m9", "content": "hunter2" }),
        json!({ "type": "TEXT_MESSAGE_CHUNK", "messageId": "m9", "Delta": "hunter2" }),
    ];
    hides_no_verdict(AGUI, inserted(&agui(), &events, 1, 1)).await;
    let chunk = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
    let chunks = [chunk(json!({ "Content": "hunter2" }))];
    hides_no_verdict(OPENAI, inserted(&openai(), &chunks, 0, 0)).await;
}

#[tokio::test]
async fn a_state_of_agui_in_another_spelling_is_not_the_state() {
    let snapshot = json!({ "type": "StateSnapshot", "snapshot": { "cart": 1 } });
    let streams = inserted(&agui(), &[snapshot], 1, 1);
    let bodies = streams.iter().map(|events| stream(events)).collect();
    let rules = "{ state: [{ path: cart, exists: false }] }";
    for outcome in judged(AGUI, rules, bodies).await {
        assert_eq!(outcome.status(), Status::NotShown);
    }
}

#[tokio::test]
async fn a_key_of_a_chunk_in_another_spelling_is_never_passed_over() {
    let chunk = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
    let call = json!([{ "index": 1, "id": "c9", "function": { "name": "delete_order" } }]);
    let chunks = [
        chunk(json!({ "toolCalls": call })),
        chunk(json!({ "ToolCalls": call })),
        chunk(json!({ "functionCall": { "name": "delete_order" } })),
        chunk(json!({ "Refusal": "hunter2" })),
    ];
    hides_no_verdict(OPENAI, inserted(&openai(), &chunks, 0, 0)).await;
    let empty = [
        chunk(json!({ "toolCalls": [] })),
        chunk(json!({ "functionCall": null })),
        chunk(json!({ "tool_calls": [], "toolCalls": ["c9"] })),
    ];
    changes_no_verdict(OPENAI, inserted(&openai(), &empty, 0, 0)).await;
}

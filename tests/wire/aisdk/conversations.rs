//! Whole conversations: client tools, approvals, history, and what the next request has.

use ananke::outcome::{Outcome, Status};
use serde_json::{Value, json};

use super::captured::{capture, captured_request};
use super::{bare, input, stream, text};
use crate::support::project::Project;
use crate::support::raw_agent::{Captured, RawAgent, Step};
use crate::wire::openai::{body, response};

/// Tests a backend with these responses.
async fn tested(bodies: &[String], target: &str, test: &str) -> (Outcome, Vec<Captured>) {
    let mut steps = Vec::new();
    for body in bodies {
        steps.push(response("200 OK", "", body));
    }
    ran(steps, target, test).await
}

async fn ran(steps: Vec<Vec<Step>>, target: &str, test: &str) -> (Outcome, Vec<Captured>) {
    let agent = RawAgent::start(steps).await;
    let config = format!(
        "version: \"1.4\"\ntarget: {{ type: ai-sdk, endpoint: \"{}\", threadId: chat-1, {target} }}\n",
        agent.url()
    );
    let test = format!("version: \"1.4\"\nname: a\n{test}");
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    let outcome = project.run().await.remove(0);
    (outcome, agent.requests().await)
}

fn assert_passed(outcome: &Outcome) {
    let problem = outcome.first_problem();
    assert_eq!(outcome.status(), Status::Passed, "{problem:?}");
}

/// A request without the ids that the two sides choose, and with the keys of parts in one order.
fn without_ids(mut request: Value) -> Value {
    request["id"] = "chat".into();
    let mut last = Value::Null;
    for message in request["messages"].as_array_mut().expect("messages") {
        last = message["id"].take();
        assert!(last.as_str().is_some_and(|id| !id.is_empty()));
    }
    if let Some(id) = request.get("messageId") {
        assert_eq!(*id, last, "the message of the assistant goes on");
        request["messageId"] = "last".into();
    }
    request
}

/// The official client sends the same after the same streams.
#[tokio::test]
async fn answers_go_back_as_the_official_client_sends_them() {
    let client = "client_tools: [{ name: confirm, mock: { result: \"yes\" } }]\n";
    let asks = |said: &str, payload: &str| {
        format!(
            "turns:
  - user: {said}
    assert: {{ outcome: interrupted, tools: {{ require: [{{ name: delete_all, args: {{ sure: true }}, status: pending }}] }} }}
  - type: resume
    resume: [{{ status: resolved, payload: {payload} }}]
"
        )
    };
    for (name, test) in [
        (
            "client",
            format!(
                "{client}turns: [{{ user: client, assert: {{ text: {{ contains: said yes }} }} }}]\n"
            ),
        ),
        (
            "mixed",
            format!(
                "{client}turns: [{{ user: mixed, assert: {{ text: {{ contains: Sunny }} }} }}]\n"
            ),
        ),
        (
            "approval",
            asks("approval", "true")
                + "assert: { tools: { require: [{ name: delete_all, result: gone }] } }\n",
        ),
        (
            "denied",
            asks("approval", "{ approved: false, reason: no thanks }")
                + "assert: { tools: { require: [{ name: delete_all, status: denied, result: no thanks }] } }\n",
        ),
    ] {
        let bodies = [1, 2].map(|number| capture(&format!("{name}-{number}.sse")));
        let (outcome, requests) = tested(&bodies, "", &test).await;
        assert_passed(&outcome);
        assert_eq!(requests.len(), 2, "{name}");
        let sent = without_ids(body(&requests[1]));
        let expected = without_ids(captured_request(&format!("{name}-2")));
        assert_eq!(sent, expected, "{name}");
    }
}

#[tokio::test]
async fn a_message_of_the_assistant_has_everything_of_a_turn() {
    let first = stream(&[
        json!({ "type": "start", "messageId": "m-1", "messageMetadata": { "model": "x" } }),
        bare("start-step"),
        json!({ "type": "reasoning-start", "id": "r" }),
        json!({ "type": "reasoning-delta", "id": "r", "delta": "hm" }),
        json!({ "type": "reasoning-end", "id": "r", "providerMetadata": { "p": { "signature": "s" } } }),
        json!({ "type": "tool-input-available", "toolCallId": "c", "toolName": "look", "input": {}, "dynamic": true, "providerExecuted": true }),
        json!({ "type": "tool-output-available", "toolCallId": "c", "output": { "a": 1 }, "providerExecuted": true }),
        json!({ "type": "source-url", "sourceId": "s", "url": "https://a.example/" }),
        json!({ "type": "data-cart", "id": "d", "data": 1 }),
        json!({ "type": "data-note", "data": 1, "transient": true }),
        json!({ "type": "data-cart", "id": "d", "data": 2 }),
        bare("finish-step"),
        bare("start-step"),
        text("1", "lost")[0].clone(),
        text("1", "lost")[1].clone(),
        bare("reset-step"),
        text("2", "Done")[0].clone(),
        text("2", "Done")[1].clone(),
        text("2", "Done")[2].clone(),
        bare("finish-step"),
        json!({ "type": "finish", "finishReason": "stop", "messageMetadata": { "totalTokens": 3 } }),
    ]);
    let second = stream(&text("1", "Bye"));
    let test = "turns: [{ user: Look, id: one, assert: { text: { equals: Done } } }, { user: Thanks, request: { body: { tone: kind } } }]\n";
    let (outcome, requests) = tested(
        &[first, second],
        "body: { model: fast, tone: dry }, headers: { x-app: shop }",
        test,
    )
    .await;
    assert_passed(&outcome);
    assert!(requests[0].head.contains("x-app: shop"));
    let sent = body(&requests[0]);
    assert_eq!(sent["id"], "chat-1");
    assert_eq!(sent["trigger"], "submit-message");
    assert_eq!(sent.get("messageId"), None);
    assert_eq!(
        (&sent["model"], &sent["tone"]),
        (&json!("fast"), &json!("dry"))
    );
    let sent = body(&requests[1]);
    assert_eq!(sent["tone"], "kind");
    assert_eq!(sent.get("messageId"), None);
    let expected = json!({
        "id": "m-1", "metadata": { "model": "x", "totalTokens": 3 }, "role": "assistant",
        "parts": [
            { "type": "step-start" },
            { "type": "reasoning", "text": "hm", "state": "done", "providerMetadata": { "p": { "signature": "s" } } },
            {
                "type": "dynamic-tool", "toolName": "look", "toolCallId": "c", "state": "output-available", "providerExecuted": true,
                "input": {}, "output": { "a": 1 },
            },
            { "type": "source-url", "sourceId": "s", "url": "https://a.example/" },
            { "type": "data-cart", "id": "d", "data": 2 },
            { "type": "step-start" },
            { "type": "text", "text": "Done", "state": "done" },
        ],
    });
    assert_eq!(sent["messages"][1], expected);
    assert_eq!(
        sent["messages"][2]["parts"],
        json!([{ "type": "text", "text": "Thanks" }])
    );
}

#[tokio::test]
async fn a_history_is_messages_with_parts() {
    let test = "messages:
  - { role: system, content: Be brief }
  - { role: user, content: Where is it? }
  - role: assistant
    content: Let me see
    tool_calls: [{ id: c1, type: function, function: { name: find, arguments: '{\"id\": 7}' } }]
  - { role: tool, tool_call_id: c1, content: '{\"place\": \"Oslo\"}' }
  - { role: assistant, content: In Oslo }
turns: [{ user: Thanks }]
";
    let (outcome, requests) = tested(&[stream(&text("1", "Bye"))], "", test).await;
    assert_passed(&outcome);
    let sent = without_ids(body(&requests[0]));
    let said = |text: &str| json!({ "type": "text", "text": text });
    let done = |text: &str| json!({ "type": "text", "text": text, "state": "done" });
    let start = json!({ "type": "step-start" });
    let call = json!({
        "type": "tool-find", "toolCallId": "c1", "state": "output-available", "input": { "id": 7 }, "output": { "place": "Oslo" },
    });
    let expected = json!([
        { "id": null, "role": "system", "parts": [said("Be brief")] },
        { "id": null, "role": "user", "parts": [said("Where is it?")] },
        { "id": null, "role": "assistant", "parts": [start, done("Let me see"), call, start, done("In Oslo")] },
        { "id": null, "role": "user", "parts": [said("Thanks")] },
    ]);
    assert_eq!(sent["messages"], expected);
}

#[tokio::test]
async fn a_client_tool_that_fails_and_one_that_nobody_has() {
    let calls = stream(&[
        bare("start-step"),
        input("a", "confirm", &json!({})),
        input("b", "own", &json!({})),
        bare("finish-step"),
    ]);
    let test =
        "client_tools: [{ name: confirm, mock: { error: no user here } }]\nturns: [{ user: Go }]\n";
    let (outcome, requests) = tested(&[calls, stream(&text("1", "Well"))], "", test).await;
    assert_passed(&outcome);
    let sent = body(&requests[1]);
    let parts = &sent["messages"][1]["parts"];
    let failed = json!({ "type": "tool-confirm", "toolCallId": "a", "state": "output-error", "input": {}, "errorText": "no user here" });
    assert_eq!(parts[1], failed);
    assert_eq!(parts[2]["state"], "input-available");
}

#[tokio::test]
async fn what_is_no_stream_of_chunks_is_named() {
    let plain = "text/plain; charset=utf-8";
    let version_4 = "the response is a data stream of AI SDK 4, not a UI message stream";
    for (body, content_type, expected) in [
        ("", "text/event-stream", "the response is empty"),
        (
            "<!doctype html>",
            "text/html",
            "the response is a web page, not a UI message stream",
        ),
        (
            "{\"error\":\"no key\"}",
            "application/json",
            "the response is JSON, not a UI message stream",
        ),
        (
            "Hello there",
            plain,
            "the response is a text stream, not a UI message stream",
        ),
        (
            "f:{\"messageId\":\"msg-1\"}\n0:\"Hello\"\n",
            plain,
            version_4,
        ),
        ("0:\"Hello\"\n", plain, version_4),
        (
            "Hello",
            "text/event-stream",
            "the response contains no chunk of a UI message stream",
        ),
    ] {
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n{body}"
        );
        let steps = vec![vec![Step::Expect, Step::Send(answer.into_bytes())]];
        let (outcome, _) = ran(steps, "", "turns: [{ user: hi }]\n").await;
        let (_, problem) = outcome.first_problem().expect("a problem");
        let start = format!("{expected}; received: HTTP 200, ");
        assert!(problem.message.starts_with(&start), "{}", problem.message);
    }
}

#[tokio::test]
async fn the_body_of_a_refusal_is_quoted() {
    let steps = vec![response(
        "500 Internal Server Error",
        "",
        "no key for the model",
    )];
    let (outcome, _) = ran(steps, "", "turns: [{ user: hi }]\n").await;
    let (_, problem) = outcome.first_problem().expect("a problem");
    assert_eq!(
        problem.message,
        "the agent responded with HTTP 500; received: text/event-stream, 20 bytes, starting `no key for the model`"
    );
}

//! What is sent: three turns on a real socket, each body as a person would write it.

use std::sync::Arc;

use ananke::agents::Ended;
use ananke::agents::http::HttpTransport;
use ananke::agui::{AguiSettings, ContextItem};
use ananke::context::ManualClock;
use serde_json::{Value, json};

use crate::support::agui::{session, settings};
use crate::support::canned::{limits, user};
use crate::support::raw_agent::{Captured, RawAgent, Step};
use crate::support::summary::Summary;

/// A response with these events, without a length: it ends with its connection.
pub(super) fn answer(events: &[Value]) -> Vec<u8> {
    let mut bytes =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_vec();
    for event in events {
        bytes.extend_from_slice(format!("data: {event}\n\n").as_bytes());
    }
    bytes
}

/// Runs a turn for each response and returns the requests.
async fn requests(
    configure: impl FnOnce(&mut AguiSettings),
    answers: &[Vec<Value>],
) -> Vec<Captured> {
    let scripts = answers
        .iter()
        .map(|events| vec![Step::Expect, Step::Send(answer(events))]);
    let agent = RawAgent::start(scripts.collect()).await;
    let transport = Arc::new(HttpTransport::new(Arc::new(ManualClock::default())));
    let mut settings = settings(&agent.url());
    configure(&mut settings);
    let mut session = session(settings, transport, 1).await;
    let mut summary = Summary::default();
    for number in 1..=answers.len() {
        let number = u32::try_from(number).expect("few turns");
        let said = user(number, &format!("turn {number}"));
        let ended = session.exchange(said, &limits(), &mut summary).await;
        assert_eq!(ended, Ok(Ended::Terminal));
    }
    agent.requests().await
}

async fn bodies(configure: impl FnOnce(&mut AguiSettings), answers: &[Vec<Value>]) -> Vec<Value> {
    let requests = requests(configure, answers).await;
    requests
        .iter()
        .map(|request| serde_json::from_slice(&request.body).expect("JSON"))
        .collect()
}

/// The messages of the last request.
pub(super) async fn last_messages(answers: &[Vec<Value>]) -> Value {
    let mut bodies = bodies(|_| {}, answers).await;
    bodies.pop().expect("a request")["messages"].take()
}

pub(super) fn run(number: u32, events: &[Value]) -> Vec<Value> {
    let ids = json!({"threadId": "t-1", "runId": format!("r-{number}")});
    let mut run =
        vec![json!({"type": "RUN_STARTED", "threadId": ids["threadId"], "runId": ids["runId"]})];
    run.extend_from_slice(events);
    run.push(json!({"type": "RUN_FINISHED", "threadId": ids["threadId"], "runId": ids["runId"]}));
    run
}

fn said(id: &str, text: &str) -> [Value; 3] {
    [
        json!({"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": id}),
    ]
}

fn called(id: &str, arguments: &str, parent: &Value) -> [Value; 3] {
    [
        json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "look", "parentMessageId": parent}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": arguments}),
        json!({"type": "TOOL_CALL_END", "toolCallId": id}),
    ]
}

fn answered(message: &str, call: &str, content: &Value) -> Value {
    json!({"type": "TOOL_CALL_RESULT", "messageId": message, "toolCallId": call, "content": content})
}

fn call(id: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "look", "arguments": arguments}})
}

#[tokio::test]
async fn three_turns_send_everything_so_far() {
    let answers = [
        run(
            1,
            &[
                &said("m1", "Let me look.")[..],
                &called("c1", "{\"q\":1}", &json!("m1")),
                &called("c2", "", &json!("m1")),
                &[answered("a1", "c1", &json!("one")), answered("a2", "c2", &json!({"n": 2}))],
                &said("m2", "Done."),
                &[json!({"type": "STATE_SNAPSHOT", "snapshot": {"step": 1, "note": null}})],
            ]
            .concat(),
        ),
        // A call that is not answered, of a message that was never announced, and a state that changes.
        run(
            2,
            &[
                &called("c3", "{\"q\":", &json!("m9"))[..],
                &[json!({"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/step", "value": 2}]})],
                &[json!({"type": "STATE_DELTA", "delta": [{"op": "remove", "path": "/nowhere"}]})],
            ]
            .concat(),
        ),
        run(3, &[]),
    ];
    let configure = |settings: &mut AguiSettings| {
        settings.conversation.forwarded_props = json!({"tenant": "a", "none": null});
        settings.conversation.state = json!({"step": 0});
    };
    let turn_1 = json!({"id": "u1", "role": "user", "content": "turn 1"});
    let history_1 = [
        json!({"id": "m1", "role": "assistant", "content": "Let me look.", "toolCalls": [call("c1", "{\"q\":1}"), call("c2", "{}")]}),
        json!({"id": "a1", "role": "tool", "toolCallId": "c1", "content": "one"}),
        json!({"id": "a2", "role": "tool", "toolCallId": "c2", "content": "{\"n\":2}"}),
        json!({"id": "m2", "role": "assistant", "content": "Done."}),
        json!({"id": "u2", "role": "user", "content": "turn 2"}),
    ];
    let history_2 = [
        json!({"id": "m9", "role": "assistant", "toolCalls": [call("c3", "{\"q\":")]}),
        json!({"id": "u3", "role": "user", "content": "turn 3"}),
    ];
    let body = |run: &str, state: Value, messages: Vec<Value>| {
        json!({
            "threadId": "t-1", "runId": run, "protocolVersion": "1.0", "state": state, "messages": messages,
            "tools": [], "context": [], "forwardedProps": {"tenant": "a", "none": null},
        })
    };
    let expected = [
        body("r-1", json!({"step": 0}), vec![turn_1.clone()]),
        body(
            "r-2",
            json!({"step": 1, "note": null}),
            [std::slice::from_ref(&turn_1), &history_1].concat(),
        ),
        body(
            "r-3",
            json!({"step": 2, "note": null}),
            [&[turn_1], &history_1[..], &history_2].concat(),
        ),
    ];
    assert_eq!(bodies(configure, &answers).await, expected);
}

#[tokio::test]
async fn a_request_without_settings_has_no_null() {
    let configure = |settings: &mut AguiSettings| settings.conversation.state = Value::Null;
    let expected = json!({
        "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0", "state": {},
        "messages": [{"id": "u1", "role": "user", "content": "turn 1"}],
        "tools": [], "context": [], "forwardedProps": {},
    });
    assert_eq!(bodies(configure, &[run(1, &[])]).await, [expected]);
}

#[tokio::test]
async fn headers_of_the_target_join_and_replace_those_of_the_protocol() {
    let head = |configure: fn(&mut AguiSettings)| async move {
        let head = requests(configure, &[run(1, &[])]).await.remove(0).head;
        let mut lines: Vec<_> = head
            .lines()
            .map(str::to_owned)
            .filter(|line| !line.starts_with("host: "))
            .collect();
        lines.retain(|line| {
            !line.starts_with("content-length: ") && !line.starts_with("user-agent: ananke/")
        });
        lines.sort_unstable();
        lines
    };
    let plain = head(|_| {}).await;
    assert_eq!(
        plain,
        [
            "",
            "POST /agent HTTP/1.1",
            "accept: text/event-stream",
            "content-type: application/json"
        ]
    );
    let own = head(|settings| {
        let own = [
            ("Authorization", "Bearer x"),
            ("Content-Type", "application/json; charset=utf-8"),
        ];
        settings.headers = own
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec();
    })
    .await;
    let expected = [
        "",
        "POST /agent HTTP/1.1",
        "accept: text/event-stream",
        "authorization: Bearer x",
        "content-type: application/json; charset=utf-8",
    ];
    assert_eq!(own, expected);
}

#[tokio::test]
async fn a_snapshot_replaces_the_history_in_its_own_order() {
    let snapshot = json!({"type": "MESSAGES_SNAPSHOT", "messages": [
        {"id": "s0", "role": "system", "content": "be kind", "name": null},
        {"id": "n1", "role": "user", "content": "turn 1"},
        {"id": "m1", "role": "assistant", "content": null, "toolCalls": [
            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": ""}, "encryptedValue": "e"},
        ]},
        {"id": "z", "role": "activity", "activityType": "PLAN", "content": {}},
        {"id": "a9", "role": "tool", "toolCallId": "c1", "content": "one", "error": "failed"},
    ]});
    // In the next turn the id is that of another call.
    let again = [
        &called("c1", "{\"q\":2}", &Value::Null)[..],
        &[answered("c1", "c1", &json!("two"))],
    ]
    .concat();
    let first = [&said("m1", "Hm.")[..], &[snapshot]].concat();
    let messages = last_messages(&[run(1, &first), run(2, &again), run(3, &[])]).await;
    let mut answered_call = call("c1", "{}");
    answered_call["encryptedValue"] = json!("e");
    let expected = json!([
        {"id": "s0", "role": "system", "content": "be kind"},
        {"id": "n1", "role": "user", "content": "turn 1"},
        {"id": "m1", "role": "assistant", "toolCalls": [answered_call]},
        {"id": "a9", "role": "tool", "toolCallId": "c1", "content": "one", "error": "failed"},
        {"id": "u2", "role": "user", "content": "turn 2"},
        {"id": "c1-2", "role": "assistant", "toolCalls": [call("c1", "{\"q\":2}")]},
        {"id": "c1", "role": "tool", "toolCallId": "c1", "content": "two"},
        {"id": "u3", "role": "user", "content": "turn 3"},
    ]);
    assert_eq!(messages, expected);
}

#[tokio::test]
async fn a_call_goes_to_its_parent_or_to_a_message_of_its_own() {
    let events = [
        // `u1` is the user's message: no place for a call.
        &called("c1", "1", &json!("u1"))[..],
        &called("c2", "2", &Value::Null),
        &called("c3", "3", &json!("c2")),
        // Two answers: the last counts, in the place of the first; its id is taken.
        &[
            answered("a1", "c2", &json!("early")),
            answered("c1", "c2", &json!([{"type": "text", "text": "late"}])),
        ],
    ]
    .concat();
    let messages = last_messages(&[run(1, &events), run(2, &[])]).await;
    let expected = json!([
        {"id": "u1", "role": "user", "content": "turn 1"},
        {"id": "c1", "role": "assistant", "toolCalls": [call("c1", "1")]},
        {"id": "c2", "role": "assistant", "toolCalls": [call("c2", "2"), call("c3", "3")]},
        {"id": "x-1", "role": "tool", "toolCallId": "c2", "content": [{"type": "text", "text": "late"}]},
        {"id": "u2", "role": "user", "content": "turn 2"},
    ]);
    assert_eq!(messages, expected);
}

#[tokio::test]
async fn what_never_became_complete_is_no_history() {
    let failed = vec![
        json!({"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m1", "role": "assistant"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "half"}),
        json!({"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "look", "parentMessageId": "m1"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": "c1"}),
        json!({"type": "TOOL_CALL_START", "toolCallId": "c2", "toolCallName": "look", "parentMessageId": "m1"}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m2", "role": "assistant"}),
        json!({"type": "RUN_ERROR", "message": "quota"}),
    ];
    let messages = last_messages(&[failed, run(2, &[])]).await;
    let expected = json!([
        {"id": "u1", "role": "user", "content": "turn 1"},
        {"id": "m1", "role": "assistant", "toolCalls": [call("c1", "{}")]},
        {"id": "u2", "role": "user", "content": "turn 2"},
    ]);
    assert_eq!(messages, expected);
}

#[tokio::test]
async fn thoughts_go_back_with_what_only_the_agent_understands() {
    let first = run(
        1,
        &[
            vec![
                json!({"type": "REASONING_START", "messageId": "r"}),
                json!({"type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning"}),
                json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "r", "encryptedValue": "s1"}),
                json!({"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "hm"}),
                json!({"type": "REASONING_MESSAGE_END", "messageId": "r"}),
                json!({"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "of before 1.0"}),
            ],
            called("c", "{}", &json!("m")).to_vec(),
            vec![
                json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": "tool-call", "entityId": "c", "encryptedValue": "s2"}),
                answered("t", "c", &json!("found")),
                json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "t", "encryptedValue": "s3"}),
                json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "nobody", "encryptedValue": "s4"}),
            ],
        ]
        .concat(),
    );
    let mut messages = last_messages(&[first, run(2, &[])]).await;
    let messages = messages.as_array_mut().expect("a list");
    messages.retain(|message| message["role"] != "user");
    let expected = json!([
        {"id": "r", "role": "reasoning", "content": "hm", "encryptedValue": "s1"},
        {"id": "m", "role": "assistant", "toolCalls": [
            {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}, "encryptedValue": "s2"}]},
        {"id": "t", "role": "tool", "content": "found", "toolCallId": "c", "encryptedValue": "s3"},
    ]);
    assert_eq!(json!(messages), expected);
}

#[tokio::test]
async fn thoughts_that_were_cut_off_or_have_the_id_of_a_message_do_not_go_back() {
    let first = vec![
        json!({"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}),
        json!({"type": "REASONING_MESSAGE_CHUNK", "messageId": "m", "delta": "hm"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "hello"}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
        json!({"type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning"}),
        json!({"type": "RUN_ERROR", "message": "no"}),
    ];
    let mut messages = last_messages(&[first, run(2, &[])]).await;
    let messages = messages.as_array_mut().expect("a list");
    messages.retain(|message| message["role"] != "user");
    assert_eq!(
        json!(messages),
        json!([{"id": "m", "role": "assistant", "content": "hello"}])
    );
}

#[tokio::test]
async fn what_is_said_beside_the_words_goes_back() {
    let first = run(
        1,
        &[
            json!({"type": "TEXT_MESSAGE_START", "messageId": "m1", "name": "desk", "metadata": {"a": 1, "b": null}}),
            json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "x", "metadata": {"a": 2}}),
            json!({"type": "TEXT_MESSAGE_END", "messageId": "m1", "metadata": {"c": [3]}}),
            json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c1", "toolCallName": "look", "subagentRunId": "s1", "delta": "{"}),
            json!({"type": "TOOL_CALL_CHUNK", "subagentRunId": "s1", "delta": "}", "metadata": {"k": "v"}}),
            json!({"type": "TOOL_CALL_RESULT", "messageId": "a1", "toolCallId": "c1", "content": "ok", "subagentRunId": "s1", "metadata": "none"}),
        ],
    );
    let mut call = call("c1", "{}");
    call["metadata"] = json!({"k": "v"});
    assert_eq!(
        last_messages(&[first, run(2, &[])]).await,
        json!([
            {"id": "u1", "role": "user", "content": "turn 1"},
            {"id": "m1", "role": "assistant", "content": "x", "name": "desk", "metadata": {"a": 2, "b": null, "c": [3]}},
            {"id": "c1", "role": "assistant", "toolCalls": [call], "subagentRunId": "s1"},
            {"id": "a1", "role": "tool", "toolCallId": "c1", "content": "ok", "subagentRunId": "s1"},
            {"id": "u2", "role": "user", "content": "turn 2"},
        ])
    );
}

#[tokio::test]
async fn a_run_contains_the_context_of_the_target() {
    let item = ContextItem {
        description: "The page".to_owned(),
        value: "/cart".to_owned(),
    };
    let bodies = bodies(
        |settings| settings.conversation.context = vec![item],
        &[run(1, &[])],
    )
    .await;
    assert_eq!(
        bodies[0]["context"],
        json!([{ "description": "The page", "value": "/cart" }])
    );
}

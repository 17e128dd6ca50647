//! One order for every rule: what each protocol sends, and the verdicts that follow from what began when. `order_soak` finds such
//! rows; those that were found stay here.

use ananke::outcome::Status;
use serde_json::{Value, json};

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

/// The status of a test with one turn, whose agent is `target` and responds with `events`.
async fn status(target: &str, events: &[Value], rule: &str) -> Status {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let mut body = events.iter().fold(head.to_owned(), |body, event| {
        body + &format!("data: {event}\n\n")
    });
    if target.contains("openai") {
        body.push_str("data: [DONE]\n\n");
    }
    let agent = RawAgent::start(vec![vec![Step::Expect, Step::Send(body.into_bytes())]]).await;
    let config = format!(
        "version: \"1.4\"\ntarget: {{ {} }}\n",
        target.replace("URL", &agent.url())
    );
    let test = format!("version: \"1.4\"\nname: a\nturns: [{{ user: hi }}]\nassert: {rule}\n");
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    project.run().await.remove(0).status()
}

/// The rules, each with the status that it has.
async fn judged(target: &str, events: &[Value], rules: &[(&str, Status)]) {
    for (rule, expected) in rules {
        let found = status(target, events, rule).await;
        assert_eq!(found, *expected, "{rule}: {events:#?}");
    }
}

const AGUI: &str = "type: agui, endpoint: \"URL\", agentId: a";
const CHAT: &str = "type: openai, endpoint: \"URL\", model: m, tools: observed";
const A2A: &str = "type: a2a, tool_calls: [adk], agentCard: { url: \"URL\", protocolVersion: \"0.3\", preferredTransport: HTTP+JSON, capabilities: { streaming: true } }";

fn run(events: Vec<Value>) -> Vec<Value> {
    let (start, finish) = (
        json!({ "type": "RUN_STARTED" }),
        json!({ "type": "RUN_FINISHED" }),
    );
    [vec![start], events, vec![finish]].concat()
}

fn start(id: &str) -> Value {
    json!({ "type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant" })
}

fn text(id: &str, delta: &str) -> Value {
    json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta })
}

fn end(id: &str) -> Value {
    json!({ "type": "TEXT_MESSAGE_END", "messageId": id })
}

fn call(id: &str, name: &str) -> Vec<Value> {
    vec![
        json!({ "type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name }),
        json!({ "type": "TOOL_CALL_END", "toolCallId": id }),
    ]
}

fn result(id: &str, content: &str) -> Value {
    json!({ "type": "TOOL_CALL_RESULT", "messageId": "r", "toolCallId": id, "content": content })
}

#[tokio::test]
async fn a_message_that_is_open_when_a_call_starts_came_before_it() {
    use Status::{Failed, Passed};
    let open = [
        vec![start("m"), text("m", "deleting ")],
        call("c", "delete"),
        vec![text("m", "now"), end("m")],
    ];
    judged(
        AGUI,
        &run(open.concat()),
        &[
            (
                "{ whenever: [{ call: delete, preceded_by: { says: \"deleting now$\" } }] }",
                Passed,
            ),
            (
                "{ whenever: [{ call: delete, not_preceded_by: { says: \"deleting now$\" } }] }",
                Failed,
            ),
            // What the message was when the call started is not what it says.
            (
                "{ whenever: [{ call: delete, not_preceded_by: { says: \"deleting $\" } }] }",
                Passed,
            ),
            (
                "{ whenever: [{ call: delete, not_followed_by: { says: now } }] }",
                Passed,
            ),
            (
                "{ whenever: [{ says: now, followed_by: { call: delete } }] }",
                Passed,
            ),
            (
                "{ sequence: { mode: exact, steps: [{ says: now }, { call: delete }] } }",
                Passed,
            ),
        ],
    )
    .await;
    // A start and an empty text begin nothing.
    let late = [
        vec![start("m"), text("m", "")],
        call("c", "delete"),
        vec![text("m", "deleting now"), end("m")],
    ];
    judged(
        AGUI,
        &run(late.concat()),
        &[
            (
                "{ whenever: [{ call: delete, not_preceded_by: { says: now } }] }",
                Passed,
            ),
            (
                "{ whenever: [{ call: delete, preceded_by: { says: now } }] }",
                Failed,
            ),
            (
                "{ sequence: { mode: exact, steps: [{ call: delete }, { says: now }] } }",
                Passed,
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_only_a_snapshot_shows_stands_before_what_follows_it_there() {
    use Status::{Failed, Passed};
    let messages = json!([
        { "id": "u", "role": "user", "content": "hi" },
        { "id": "m1", "role": "assistant", "content": "deleting now" },
        { "id": "l1", "role": "assistant", "toolCalls": [{ "id": "k", "function": { "name": "find", "arguments": "{}" } }] },
        { "id": "l2", "role": "tool", "toolCallId": "k", "content": "order v1001" },
        { "id": "l3", "role": "assistant", "toolCalls": [{ "id": "c", "function": { "name": "delete", "arguments": "{\"k\":\"v1001\"}" } }] },
        { "id": "l4", "role": "tool", "toolCallId": "c", "content": "gone" },
        { "id": "m2", "role": "assistant", "content": "done" },
        { "id": "m3", "role": "assistant", "content": "deleting now" }
    ]);
    let arguments =
        json!({ "type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"k\":\"v1001\"}" });
    let mut events = call("c", "delete");
    events.insert(1, arguments);
    events.extend([
        result("c", "gone"),
        start("m2"),
        text("m2", "done"),
        end("m2"),
    ]);
    events.push(json!({ "type": "MESSAGES_SNAPSHOT", "messages": messages }));
    judged(
        AGUI,
        &run(events),
        &[
            ("{ sequence: { mode: exact, steps: [{ says: now }, { call: find }, { result: find }, { call: delete }, { result: delete }, { says: done }, { says: now }] } }", Passed),
            ("{ tools: { require: [{ name: delete, after: find, after_result: find }] } }", Passed),
            ("{ tools: { require: [{ name: find, after: delete }] } }", Failed),
            ("{ whenever: [{ call: delete, preceded_by: { says: now } }] }", Passed),
            ("{ whenever: [{ call: delete, not_preceded_by: { says: now } }] }", Failed),
            ("{ whenever: [{ call: delete, not_preceded_by: { says: done } }] }", Passed),
            ("{ whenever: [{ call: find, not_followed_by: { call: delete } }] }", Failed),
            ("{ provenance: [{ of: { call: delete, arg: k }, from: [results] }] }", Passed),
            ("{ provenance: [{ of: { call: delete, arg: k }, not_from: [results] }] }", Failed),
            // A text that comes again is another message.
            ("{ text: { equals: \"deleting now\\ndone\\ndeleting now\" } }", Passed),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_result_whose_call_is_known_later_stands_where_it_arrived() {
    let mut events = call("", "find");
    events.push(result("", "one"));
    events.extend(call("", "pay"));
    events.push(result("", "two"));
    events.extend([start("m"), text("m", "done"), end("m")]);
    let steps = "[{ call: find }, { result: find, match: one }, { call: pay }, { result: pay, match: two }, { says: done }]";
    judged(
        AGUI,
        &run(events),
        &[
            (
                &format!("{{ sequence: {{ mode: exact, steps: {steps} }} }}"),
                Status::Passed,
            ),
            (
                "{ tools: { require: [{ name: pay, after_result: find }] } }",
                Status::Passed,
            ),
        ],
    )
    .await;
}

fn delta(delta: &Value) -> Value {
    json!({ "id": "x", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

fn tool(index: usize, id: &str, name: &str) -> Value {
    let function = json!({ "name": name, "arguments": "{}" });
    delta(
        &json!({ "tool_calls": [{ "index": index, "id": id, "type": "function", "function": function }] }),
    )
}

fn chat(mut chunks: Vec<Value>) -> Vec<Value> {
    let finish = json!({ "index": 0, "delta": {}, "finish_reason": "stop" });
    chunks.push(json!({ "id": "x", "object": "chat.completion.chunk", "choices": [finish] }));
    chunks
}

#[tokio::test]
async fn messages_of_the_model_and_of_tools_are_in_the_order_in_which_they_begin() {
    use Status::{Failed, Passed};
    let shown =
        |content: &str| delta(&json!({ "role": "tool", "tool_call_id": "k1", "content": content }));
    let more = |content: &str| delta(&json!({ "tool_call_id": "k1", "content": content }));
    let chunks = chat(vec![
        delta(&json!({ "role": "assistant" })),
        delta(&json!({ "role": "assistant", "content": "looking " })),
        tool(0, "k1", "find"),
        delta(&json!({ "content": "it up" })),
        shown("o"),
        more("k"),
        tool(1, "k2", "pay"),
        delta(&json!({ "tool_call_id": "k2", "role": "tool", "content": "" })),
        delta(&json!({ "content": "paid" })),
    ]);
    let steps = "[{ says: \"^looking it up$\" }, { call: find }, { result: find, match: ^ok$ }, { call: pay }, { result: pay, match: ^$ }, { says: ^paid$ }]";
    judged(
        CHAT,
        &chunks,
        &[
            (
                &format!("{{ sequence: {{ mode: exact, steps: {steps} }} }}"),
                Passed,
            ),
            (
                "{ tools: { require: [{ name: pay, after_result: find }] } }",
                Passed,
            ),
            (
                "{ whenever: [{ call: find, preceded_by: { says: \"it up$\" } }] }",
                Passed,
            ),
            (
                "{ whenever: [{ call: find, not_preceded_by: { says: \"it up$\" } }] }",
                Failed,
            ),
            ("{ text: { of: final, equals: paid } }", Passed),
        ],
    )
    .await;
    // A role that is another one, or that follows a tool's message, begins a message; one that is repeated does not.
    let roles = chat(vec![
        delta(&json!({ "role": "assistant", "content": "a" })),
        delta(&json!({ "role": "assistant", "content": "b" })),
        delta(&json!({ "role": "system", "content": "c" })),
        delta(&json!({ "content": "d" })),
        delta(&json!({ "role": "assistant", "content": "e" })),
    ]);
    judged(
        CHAT,
        &roles,
        &[("{ text: { equals: \"ab\\ncd\\ne\" } }", Passed)],
    )
    .await;
    // Results that come at the same time, in pieces.
    let other = |content: &str| delta(&json!({ "tool_call_id": "k2", "content": content }));
    let parallel = chat(vec![
        tool(0, "k1", "find"),
        tool(1, "k2", "pay"),
        shown("one, "),
        other("three, "),
        more("two"),
        other("four"),
        delta(&json!({ "content": "done" })),
    ]);
    let steps = "[{ call: find }, { call: pay }, { result: find, match: \"^one, two$\" }, { result: pay, match: \"^three, four$\" }, { says: done }]";
    let rule = format!("{{ sequence: {{ mode: exact, steps: {steps} }} }}");
    judged(CHAT, &parallel, &[(&rule, Passed)]).await;
}

#[tokio::test]
async fn text_and_calls_of_an_artifact_are_in_the_order_of_their_parts() {
    use Status::{Failed, Passed};
    let event = |mut result: Value| {
        result["taskId"] = json!("t");
        result["contextId"] = json!("c");
        result
    };
    let part = json!({ "kind": "data", "metadata": { "adk_type": "function_call" }, "data": { "id": "k", "name": "delete", "args": {} } });
    let said = |text: &str| json!({ "kind": "text", "text": text });
    let artifact = |parts: Value, append: bool| {
        event(
            json!({ "kind": "artifact-update", "artifact": { "artifactId": "a", "parts": parts }, "append": append }),
        )
    };
    let done = event(
        json!({ "kind": "status-update", "status": { "state": "completed" }, "final": true }),
    );
    let before = [
        artifact(json!([said("deleting "), part]), false),
        artifact(json!([said("now")]), true),
        done.clone(),
    ];
    let after = [artifact(json!([part, said("deleting now")]), false), done];
    for (events, is_before) in [(&before[..], Passed), (&after[..], Failed)] {
        let answers: Vec<Value> = events.to_vec();
        judged(
            A2A,
            &answers,
            &[(
                "{ whenever: [{ call: delete, preceded_by: { says: \"deleting now$\" } }] }",
                is_before,
            )],
        )
        .await;
    }
}

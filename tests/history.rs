//! Messages before a test begins: how they are sent, and that no rule checks them.

use ananke::outcome::{Outcome, Status};
use serde_json::{Value, json};

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

/// The response of an agent that sends `events` before it says something.
fn answer(events: &str) -> Vec<Step> {
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
         data: {{\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}}\n\n{events}\
         data: {{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\"Large, then.\"}}\n\n\
         data: {{\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}}\n\n"
    );
    vec![Step::Expect, Step::Send(answer.into())]
}

/// Runs one test and returns its outcome and the messages of each request.
async fn run(target: &str, test: &str, answers: Vec<Vec<Step>>) -> (Outcome, Vec<Value>) {
    let agent = RawAgent::start(answers).await;
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"http://{}/\", agentId: a{target} }}\n",
        agent.address
    );
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", test)]);
    let outcome = project.run().await.remove(0);
    let bodies = agent.requests().await.into_iter().map(|request| {
        let body: Value = serde_json::from_slice(&request.body).expect("a request is JSON");
        body["messages"].clone()
    });
    (outcome, bodies.collect())
}

const TEST: &str = r#"version: "1.3"
name: goes on
vars: { CITY: Rome }
messages:
  - { role: system, content: "You sell mugs in ${CITY}.", name: shop }
  - { role: user, content: "A mug, please", id: first }
  - role: assistant
    content: Let me look.
    tool_calls:
      - { id: c1, function: { name: find_mugs, arguments: { city: "${CITY}" } } }
      - { id: c2, type: function, function: { name: find_sizes, arguments: '{"of": "mug"}' } }
  - { role: tool, tool_call_id: c2, content: "small, large" }
  - { role: tool, tool_call_id: c1, content: '["MUG-1"]' }
turns:
  - user: "The large one"
    assert: { tools: { max_calls: 0 }, text: { not_contains: "Let me look" } }
  - user: "Thank you"
"#;

/// The messages of the history, as agents receive them.
fn earlier(sent: &Value) -> Value {
    json!([
        { "id": sent[0]["id"], "role": "system", "content": "You sell mugs in Rome.", "name": "shop" },
        { "id": "first", "role": "user", "content": "A mug, please" },
        { "id": sent[2]["id"], "role": "assistant", "content": "Let me look.", "toolCalls": [
            { "id": "c1", "type": "function", "function": { "name": "find_mugs", "arguments": "{\"city\":\"Rome\"}" } },
            { "id": "c2", "type": "function", "function": { "name": "find_sizes", "arguments": "{\"of\": \"mug\"}" } },
        ] },
        { "id": sent[3]["id"], "role": "tool", "content": "small, large", "toolCallId": "c2" },
        { "id": sent[4]["id"], "role": "tool", "content": "[\"MUG-1\"]", "toolCallId": "c1" },
    ])
}

fn texts(messages: &Value) -> Vec<&str> {
    messages
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|message| message["content"].as_str())
        .collect()
}

#[tokio::test]
async fn messages_go_before_the_first_turn_and_with_every_run() {
    let (outcome, sent) = run("", TEST, vec![answer(""), answer("")]).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    assert_eq!(
        Value::Array(sent[0].as_array().unwrap()[..5].to_vec()),
        earlier(&sent[0])
    );
    assert_eq!(texts(&sent[0])[5..], ["The large one"]);
    assert_eq!(
        texts(&sent[1])[5..],
        ["The large one", "Large, then.", "Thank you"]
    );
    assert_eq!(sent[0][0]["id"], sent[1][0]["id"], "an id is made once");
    let ids: std::collections::HashSet<&str> = sent[1]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|message| message["id"].as_str())
        .collect();
    assert_eq!(ids.len(), 8, "{ids:?}");
    let told: Vec<&str> = outcome
        .transcript
        .history
        .iter()
        .map(|message| &*message.role)
        .collect();
    assert_eq!(told, ["system", "user", "assistant", "tool", "tool"]);
}

#[tokio::test]
async fn an_agent_that_keeps_its_thread_gets_them_once() {
    let (outcome, sent) = run(", history: last", TEST, vec![answer(""), answer("")]).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    assert_eq!(texts(&sent[0]).len(), 6);
    assert_eq!(texts(&sent[1]), ["Thank you"]);
}

#[tokio::test]
async fn a_last_message_of_the_user_is_the_one_turn() {
    let test = "version: \"1.3\"\nname: one\nmessages:\n  - { role: assistant, content: \"Which size?\" }\n  \
                - { role: user, content: Large, id: mine, name: Ada }\nassert: { text: { contains: Large } }\n";
    let (outcome, sent) = run("", test, vec![answer("")]).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    let last = json!({ "id": "mine", "role": "user", "content": "Large", "name": "Ada" });
    assert_eq!(
        (sent[0].as_array().map(Vec::len), &sent[0][1]),
        (Some(2), &last)
    );
    assert_eq!(
        (
            outcome.transcript.turns.len(),
            outcome.transcript.turns[0].input.as_str(),
            outcome.transcript.history.len()
        ),
        (1, "Large", 1)
    );
}

#[tokio::test]
async fn what_an_agent_tells_again_of_before_is_not_judged() {
    // Without the message of the turn, only the ids show that these are old.
    let snapshot = r#"{"type":"MESSAGES_SNAPSHOT","messages":[
        {"id":"a","role":"assistant","content":"Forbidden words","toolCalls":[{"id":"c","type":"function","function":{"name":"forbidden","arguments":"{}"}}]},
        {"id":"b","role":"tool","toolCallId":"c","content":"ok"}]}"#;
    let test = r#"version: "1.3"
name: old news
messages:
  - { role: assistant, id: a, content: Forbidden words, tool_calls: [{ id: c, function: { name: forbidden } }] }
  - { role: tool, id: b, tool_call_id: c, content: ok }
turns: [{ user: hello }]
assert: { tools: { max_calls: 0, forbid: [forbidden] }, text: { must_not_match: "Forbidden", equals: "Large, then." } }
"#;
    let (outcome, _) = run(
        "",
        test,
        vec![answer(&format!("data: {}\n\n", snapshot.replace('\n', "")))],
    )
    .await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    assert_eq!(
        outcome.transcript.messages_count, 3,
        "two of the history, and the user's"
    );
}

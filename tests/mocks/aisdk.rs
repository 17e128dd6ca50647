//! A mock that answers clients of `useChat`: the same verdicts as inside the program, over the protocol and from recordings.

use std::collections::BTreeMap;

use ananke::outcome::Outcome;
use serde_json::{Value, json};

use super::recorded::{agent_of, recorded_with};
use super::server::{Response, Serving, embedded};
use crate::support::project::Project;

/// An agent that does what the protocol can say.
const RULES: &str = "client_tools: [{ name: confirm, mock: { result: \"yes\" } }]
    rules:
      - { when: { user: price }, do: [{ call: { tool: look_up, args: { id: 7 }, result: { price: 3 } } }, { say: It costs 3. }] }
      - { when: { user: fail }, do: [{ call: { tool: look_up, args: {}, result: out of order, failure: failed } }, { say: It is down. }] }
      - { when: { user: confirm }, do: [{ say: One moment. }, { call: { tool: confirm, args: { question: Sure? } } }, { say: Confirmed. }] }
      - { when: { user: delete }, do: [{ call: { tool: delete_all, id: del, args: { sure: true } } }, { interrupt: { call: del, message: Delete all? } }, { answer: { id: del, result: gone } }, { say: All gone. }] }
      - { when: { user: break }, do: [{ say: Well }, { error: { message: closed } }] }
      - { do: [{ say: Hello }, { say: How are you? }] }
";

const TESTS: &str = "version: \"1.4\"
tests:
  - { name: greets, turns: [{ user: hi, assert: { text: { must_match: [Hello, How] } } }] }
  - { name: looks up, turns: [{ user: price, assert: { sequence: { mode: in_order, steps: [{ call: look_up }, { says: \"3\" }] }, tools: { require: [{ name: look_up, args: { id: 7 }, result: { price: 3 } }] } } }, { user: hi }] }
  - { name: fails, turns: [{ user: fail, assert: { tools: { require: [{ name: look_up, is_error: true, result: out of order }] } } }] }
  - { name: asks the client, turns: [{ user: confirm, assert: { sequence: { mode: in_order, steps: [{ says: moment }, { call: confirm }, { says: Confirmed }] } } }] }
  - name: waits
    turns:
      - { user: delete, assert: { outcome: interrupted, tools: { require: [{ name: delete_all, status: pending }] } } }
      - { type: resume, resume: [{ status: resolved, payload: true }], assert: { text: { contains: gone } } }
    assert: { tools: { max_calls: 1, require: [{ name: delete_all, result: gone }] } }
  - { name: breaks, turns: [{ user: break, assert: { outcome: { is: error, error_match: closed } } }] }
  - { name: is wrong, turns: [{ user: price, assert: { tools: { forbid: [look_up] } } }] }
";

fn project(target: &str) -> Project {
    let config = format!("version: \"1.4\"\ntarget:\n    {target}\n");
    Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", TESTS)])
}

fn statuses(outcomes: &[Outcome]) -> BTreeMap<String, String> {
    let mut statuses = BTreeMap::new();
    for outcome in outcomes {
        let problem = outcome
            .first_problem()
            .map(|(_, problem)| problem.message.clone());
        let status = format!("{:?} {problem:?}", outcome.status());
        statuses.insert(outcome.test.id.clone(), status);
    }
    statuses
}

#[tokio::test]
async fn every_verdict_is_the_same() {
    let inside = project(&format!("type: scripted\n    {RULES}"));
    let serving = Serving::start(embedded(&inside)).await;
    let outside = project(&format!(
        "type: ai-sdk\n    endpoint: \"http://127.0.0.1:{}/api/chat\"\n    client_tools: [{{ name: confirm, mock: {{ result: \"yes\" }} }}]",
        serving.port
    ));
    let expected = statuses(&inside.run().await);
    assert_eq!(expected.len(), 7);
    assert_eq!(
        expected
            .values()
            .filter(|status| status.starts_with("Passed"))
            .count(),
        6,
        "{expected:#?}"
    );
    assert_eq!(statuses(&outside.run().await), expected);
    // The agent waited for the client, and then for the approval.
    let log = serving.log(10).await.join("\n");
    assert!(log.contains("AI SDK: 1 result: 200"), "{log}");
    assert!(log.contains("AI SDK: 1 approval: 200"), "{log}");
}

/// The chunks of a response, without its end mark.
fn chunks(response: &Response) -> Vec<Value> {
    let data = response
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let chunks = data.filter(|data| *data != "[DONE]");
    chunks
        .map(|data| serde_json::from_str(data).expect("JSON"))
        .collect()
}

fn user(text: &str) -> Value {
    json!({ "id": text, "role": "user", "parts": [{ "type": "text", "text": text }] })
}

#[tokio::test]
async fn a_stream_is_one_that_the_official_client_reads() {
    let inside = project(&format!("type: scripted\n    {RULES}"));
    let serving = Serving::start(embedded(&inside)).await;
    let body = json!({ "id": "c", "messages": [user("price")], "trigger": "submit-message", "model": "m" });
    let response = serving.post(&body).await;
    assert_eq!(response.headers["x-vercel-ai-ui-message-stream"], "v1");
    assert!(response.body.ends_with("data: [DONE]\n\n"));
    let mut types = Vec::new();
    for chunk in chunks(&response) {
        types.push(chunk["type"].as_str().unwrap_or_default().to_owned());
    }
    let expected = "start start-step tool-input-start tool-input-delta tool-input-available tool-output-available finish-step start-step \
                    text-start text-delta text-end finish-step finish";
    assert_eq!(types.join(" "), expected);
    assert_eq!(
        serving.log(1).await,
        ["#1 AI SDK: \"price\": 200, 14 events"]
    );
}

#[tokio::test]
async fn a_recording_is_served_with_the_ids_of_the_request() {
    let keys = "type: ai-sdk, threadId: c-old, endpoint: \"http://127.0.0.1:PORT/api/chat\"";
    let (client, text) = recorded_with(keys).await;
    assert!(
        text.contains("c-old:1"),
        "the mock names its messages by the chat"
    );
    let serving = Serving::start(agent_of(&client, &text).await.expect("an agent")).await;
    let first = json!({ "id": "new", "messages": [user("price?")] });
    let started = &chunks(&serving.post(&first).await)[0];
    assert_eq!(*started, json!({ "type": "start", "messageId": "new:1" }));
    let said = json!({ "id": "new:1", "role": "assistant", "parts": [{ "type": "text", "text": "It costs 3." }] });
    let second = json!({ "id": "new", "messages": [user("price?"), said, user("Bye")] });
    let all = chunks(&serving.post(&second).await);
    let error = all
        .iter()
        .find(|chunk| chunk["type"] == "error")
        .expect("an error");
    assert_eq!(error["errorText"], "closed");
}

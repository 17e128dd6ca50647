//! What the reference client sent in a conversation with a client-side tool, and what ananke sends in the same
//! conversation.

use serde_json::{Value, json};

use super::read;
use crate::support::project::Project;
use crate::support::raw_agent::{Captured, RawAgent, Step};
use crate::wire::bodies::answer;

/// Three requests of its version 1.0, and three of its version 0.0.59.
pub(super) const FILE: &str = "refclient-requests.jsonl";

/// The headers that are the protocol's or the user's; all others are those of an HTTP client.
const HEADERS: [&str; 3] = ["accept", "authorization", "content-type"];

const TEST: &str = r#"version: "1.3"
name: again
client_tools:
  - { name: pick, description: d, parameters: { type: object, properties: {} }, mock: { result: red } }
turns: [{ user: hi }, { user: again }]
"#;

/// The same conversation with an agent that responds the same: a call to the tool, text and a state, and nothing.
async fn sent(version: &str, last_message: &str, counter: u32) -> Vec<Captured> {
    let run = |events: &[Value]| {
        let ids = json!({"threadId": "TH", "runId": "R"});
        let of =
            |kind: &str| json!({"type": kind, "threadId": ids["threadId"], "runId": ids["runId"]});
        answer(&[&[of("RUN_STARTED")], events, &[of("RUN_FINISHED")]].concat())
    };
    let answers = [
        run(&[
            json!({"type": "TOOL_CALL_START", "toolCallId": "ft1", "toolCallName": "pick", "parentMessageId": "a1"}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": "ft1", "delta": "{\"a\":1}"}),
            json!({"type": "TOOL_CALL_END", "toolCallId": "ft1"}),
        ]),
        run(&[
            json!({"type": "STATE_SNAPSHOT", "snapshot": {"k": counter}}),
            json!({"type": "TEXT_MESSAGE_START", "messageId": last_message, "role": "assistant"}),
            json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": last_message, "delta": "ok"}),
            json!({"type": "TEXT_MESSAGE_END", "messageId": last_message}),
        ]),
        run(&[]),
    ];
    let agent = RawAgent::start(
        answers
            .map(|bytes| vec![Step::Expect, Step::Send(bytes)])
            .to_vec(),
    )
    .await;
    let config = format!(
        "version: \"1.3\"\ntarget:\n  type: agui\n  endpoint: \"{}\"\n  agentId: x\n  protocolVersion: \"{version}\"\n  state: {{ s: 0 }}\n  forwardedProps: {{ p: 1 }}\n  headers: {{ Authorization: Bearer z }}\n",
        agent.url()
    );
    let project = Project::new(&[("ananke.config.yaml", &config), ("again.test.yaml", TEST)]);
    let outcome = project.run().await.remove(0);
    assert_eq!(
        outcome.status().as_str(),
        "passed",
        "{:#?}",
        outcome.transcript.turns
    );
    agent.requests().await
}

/// Each id that the client makes, by the order in which it first came.
fn name_ids(bodies: &mut [Value]) {
    let mut seen = Vec::new();
    let mut name = |id: &mut Value| {
        let number = seen
            .iter()
            .position(|known| known == id)
            .unwrap_or_else(|| {
                seen.push(id.clone());
                seen.len() - 1
            });
        *id = json!(format!("id {number}"));
    };
    for body in bodies {
        name(&mut body["threadId"]);
        name(&mut body["runId"]);
        let messages = body["messages"].as_array_mut().expect("a list of messages");
        for message in messages
            .iter_mut()
            .filter(|message| message["role"] != "assistant")
        {
            name(&mut message["id"]);
        }
    }
}

#[tokio::test]
async fn requests_are_those_of_the_reference_client() {
    let lines = String::from_utf8(read(FILE)).expect("text");
    let recorded: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let eras = [("1.0", "a2", 2), ("0.x", "a5", 5)];
    assert_eq!(recorded.len(), 3 * eras.len());
    for ((version, last_message, counter), recorded) in eras.into_iter().zip(recorded.chunks(3)) {
        let sent = sent(version, last_message, counter).await;
        let mut expected: Vec<Value> = recorded
            .iter()
            .map(|request| request["body"].clone())
            .collect();
        // The reference client is given these two with each run. Here the first is in the target, and nothing has the
        // second.
        for body in &mut expected {
            body["forwardedProps"] = json!({"p": 1});
            body["context"] = json!([]);
        }
        let bodies = sent
            .iter()
            .map(|request| serde_json::from_slice(&request.body).expect("JSON"));
        let mut bodies: Vec<Value> = bodies.collect();
        name_ids(&mut expected);
        name_ids(&mut bodies);
        assert_eq!(bodies, expected, "{version}");
        for (sent, recorded) in sent.iter().zip(recorded) {
            for name in HEADERS {
                let value = recorded["headers"][name].as_str().expect("a header");
                let line = format!("{name}: {value}");
                assert!(
                    sent.head.lines().any(|sent| sent == line),
                    "{version}: no `{line}` in {}",
                    sent.head
                );
            }
        }
    }
}

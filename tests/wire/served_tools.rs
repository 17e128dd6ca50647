//! The tools of a server in front of a model: what the requests of the model have of them, and what the server is asked.

use ananke::outcome::{Outcome, Status};
use serde_json::{Value, json};

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

use super::openai::{calls, fine, finish, fragment, response, say};

/// A server of MCP whose list has the text `TOOLS`, as it is. It notes each call, and answers it with a text.
const SERVER: &str = r#"
while IFS= read -r line; do
  id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case $line in
    *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":' "$id"; cat tools.json; printf '}}\n' ;;
    *'"method":"tools/call"'*) printf '%s\n' "$line" >>calls.txt; printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}\n' "$id" ;;
    *'"method":"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
"#;

/// A list of one tool. Its keys are in an unusual order, numbers are spelled unusually, and a description looks like a variable.
const TOOLS: &str = r#"[{"inputSchema":{"required":["n"],"properties":{"z":{"description":"${HOME} and $n","type":"string"},"n":{"maximum":12345678901234567890123,"type":"number","default":1.50}},"type":"object","x-odd":true},"name":"weigh","description":"Weighs ${THINGS}","annotations":{"readOnlyHint":true}}]"#;

/// The schema in it.
const SCHEMA: &str = r#"{"required":["n"],"properties":{"z":{"description":"${HOME} and $n","type":"string"},"n":{"maximum":12345678901234567890123,"type":"number","default":1.50}},"type":"object","x-odd":true}"#;

/// Runs a test against a model that responds with these steps.
async fn run(
    protocol: &str,
    responses: Vec<Vec<Step>>,
    client_tools: &str,
    turns: &str,
) -> (Outcome, Vec<String>, Project) {
    let agent = RawAgent::start(responses).await;
    let endpoint = agent.url().replace("/agent", "/v1");
    let config = format!(
        "version: \"1.4\"\ntarget: model\ntargets:\n  shop: {{ type: mcp, transport: stdio, command: [/bin/sh, server.sh] }}\n  \
         model: {{ type: {protocol}, endpoint: \"{endpoint}\", model: m, client_tools: {client_tools} }}\n"
    );
    let test = format!("version: \"1.4\"\nname: a\nturns: {turns}\n");
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &test),
        ("server.sh", SERVER),
        ("tools.json", TOOLS),
    ]);
    let outcome = project.run().await.remove(0);
    let mut bodies = Vec::new();
    for request in agent.requests().await {
        bodies.push(String::from_utf8(request.body).expect("UTF-8"));
    }
    (outcome, bodies, project)
}

/// A response that calls the tool.
fn picks() -> Vec<Value> {
    vec![
        calls(&fragment(0, "k1", "weigh", "{\"n\":1.0}")),
        finish("tool_calls"),
    ]
}

#[tokio::test]
async fn schemas_reach_the_model_of_chat_completions_unchanged() {
    let responses = vec![fine(&[say("Hi"), finish("stop")])];
    let (outcome, bodies, _) = run("openai", responses, "[{ from: shop }]", "[{ user: hi }]").await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    let expected = format!(
        r#""tools":[{{"type":"function","function":{{"name":"weigh","description":"Weighs ${{THINGS}}","parameters":{SCHEMA}}}}}]"#
    );
    assert!(bodies[0].contains(&expected), "{}", bodies[0]);
    assert!(!bodies[0].contains("strict"));
}

#[tokio::test]
async fn schemas_reach_the_model_of_the_responses_api_unchanged() {
    let done = json!({ "type": "response.completed", "response": { "id": "r", "status": "completed", "output": [] } });
    let event = format!("event: response.completed\ndata: {done}\n\n");
    let responses = vec![response("200 OK", "", &event)];
    let (outcome, bodies, _) =
        run("responses", responses, "[{ from: shop }]", "[{ user: hi }]").await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    let expected = format!(r#""parameters":{SCHEMA}"#);
    assert!(bodies[0].contains(&expected), "{}", bodies[0]);
    assert!(bodies[0].contains(r#""strict":false"#));
}

#[tokio::test]
async fn schemas_reach_the_model_of_the_messages_api_unchanged() {
    let stops = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } });
    let events = format!("data: {stops}\n\ndata: {{\"type\":\"message_stop\"}}\n\n");
    let responses = vec![response("200 OK", "", &events)];
    let (outcome, bodies, _) =
        run("anthropic", responses, "[{ from: shop }]", "[{ user: hi }]").await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    let expected = format!(
        r#""tools":[{{"name":"weigh","description":"Weighs ${{THINGS}}","input_schema":{SCHEMA}}}]"#
    );
    assert!(bodies[0].contains(&expected), "{}", bodies[0]);
}

#[tokio::test]
async fn a_tool_that_only_reads_is_executed_and_its_result_goes_back() {
    let responses = vec![fine(&picks()), fine(&[say("Heavy"), finish("stop")])];
    let turns = "[{ user: hi, assert: { tools: { require: [{ name: weigh, result_match: done, is_error: false }] } } }]";
    let tools = "[{ from: shop, execute: true }]";
    let (outcome, bodies, project) = run("openai", responses, tools, turns).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    let second: Value = serde_json::from_str(&bodies[1]).expect("JSON");
    let answer = json!({ "role": "tool", "tool_call_id": "k1", "content": "done" });
    assert_eq!(second["messages"][2], answer);
    let asked = std::fs::read_to_string(project.folder().join("calls.txt")).expect("a call");
    assert_eq!(asked.lines().count(), 1);
    assert!(
        asked.contains(r#""name":"weigh","arguments":{"n":1.0}"#),
        "{asked}"
    );
    let picks = outcome.picks.expect("picks");
    assert_eq!((picks.runs, picks.none, picks.tools[0].picked), (1, 0, 1));
}

#[tokio::test]
async fn a_mock_beats_execution_and_a_pick_without_either_stays_open() {
    let mocked = "[{ from: shop, mocks: { weigh: { result: 7 } }, execute: [weigh] }]";
    let responses = vec![fine(&picks()), fine(&[say("Light"), finish("stop")])];
    let turns = "[{ user: hi, assert: { tools: { require: [{ name: weigh, result: 7 }] } } }]";
    let (outcome, bodies, project) = run("openai", responses, mocked, turns).await;
    assert_eq!(
        (outcome.status(), bodies.len()),
        (Status::Passed, 2),
        "{outcome:?}"
    );
    assert!(!project.folder().join("calls.txt").exists());

    let responses = vec![fine(&picks()), fine(&[say("Hello"), finish("stop")])];
    let turns = "[{ user: hi, assert: { tools: { require: [{ name: weigh, status: pending }] } } }, { user: again, assert: { text: { equals: Hello } } }]";
    let (outcome, _, project) = run("openai", responses, "[{ from: shop }]", turns).await;
    assert_eq!(
        outcome.status(),
        Status::Passed,
        "the test goes on: {outcome:?}"
    );
    assert!(!project.folder().join("calls.txt").exists());
}

//! Conversations of real servers over several runs, from their captured responses: the outcome of a whole test, and
//! what it sends.

use ananke::outcome::{Outcome, TranscriptLine};
use serde_json::{Value, json};

use super::captures::body;
use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

/// The outcome of a test with the captured responses, and the bodies that it sent.
struct Told {
    outcome: Outcome,
    bodies: Vec<Value>,
}

impl Told {
    async fn of(answers: &[&str], test: &str) -> Self {
        let answer = |name: &&str| {
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            vec![
                Step::Expect,
                Step::Send([head.as_bytes(), &body(name)].concat()),
            ]
        };
        let agent = RawAgent::start(answers.iter().map(answer).collect()).await;
        let config = format!(
            "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"{}\", agentId: captured, threadId: t-1 }}\n",
            agent.url()
        );
        let test = format!("version: \"1.3\"\nname: captured\n{test}");
        let project = Project::new(&[
            ("ananke.config.yaml", &config),
            ("captured.test.yaml", &test),
        ]);
        let outcome = project.run().await.remove(0);
        let requests = agent.requests().await;
        let bodies = requests
            .iter()
            .map(|request| serde_json::from_slice(&request.body).unwrap())
            .collect();
        Self { outcome, bodies }
    }

    /// The status, the rules that failed, and every problem.
    fn verdict(&self) -> Vec<String> {
        let failures = self
            .outcome
            .all_failures()
            .map(|(turn, failure)| format!("{turn}: {}", failure.message));
        let problems = self.outcome.first_problem();
        let problems = problems
            .into_iter()
            .map(|(turn, problem)| format!("{turn}: {}", problem.message));
        let status = self.outcome.status().as_str().to_owned();
        std::iter::once(status)
            .chain(failures)
            .chain(problems)
            .collect()
    }

    /// The names of the calls of each turn.
    fn calls(&self) -> Vec<Vec<String>> {
        let name = |line: &TranscriptLine| {
            if let TranscriptLine::Calls(call) = line {
                Some(call.name.clone())
            } else {
                None
            }
        };
        self.outcome
            .transcript
            .turns
            .iter()
            .map(|turn| turn.lines.iter().filter_map(name).collect())
            .collect()
    }
}

const APPROVED: &str = r#"turns:
  - user: "delete it"
    assert: { tools: { require: [{ name: delete_account, args_match: { user_id: "^u-9$" } }] } }
  - type: agui:resume
    resume: [{ ID status: resolved, payload: { approved: true } }]
    assert:
      tools: { require: [{ name: delete_account, result_match: "^deleted u-9", count: { exact: 1 } }] }
      text: { must_match: "TEXT" }
assert:
  tools: { require: [{ name: delete_account, count: { exact: 1 } }] }
"#;

fn approved(id: &str, text: &str) -> String {
    APPROVED.replace("ID", id).replace("TEXT", text)
}

#[tokio::test]
async fn an_approval_of_pydantic_ai() {
    let test = approved("tool: delete_account,", "^Result: deleted u-9$");
    let told = Told::of(
        &["pydantic-interrupt-run1", "pydantic-interrupt-run2-approve"],
        &test,
    )
    .await;
    assert_eq!(told.verdict(), ["passed"]);
    let resume = json!([{"interruptId": "int-call_0018", "status": "resolved", "payload": {"approved": true}}]);
    assert_eq!(told.bodies[1]["resume"], resume);
}

#[tokio::test]
async fn an_approval_of_langgraph_announces_its_call_again() {
    let test = approved("", "Result: deleted u-9");
    let told = Told::of(
        &[
            "langgraph-interrupt-run1",
            "langgraph-interrupt-run2-resume",
        ],
        &test,
    )
    .await;
    assert_eq!(told.verdict(), ["passed"]);
    assert_eq!(
        told.calls()[0],
        ["delete_account"],
        "the call announced again is not counted again"
    );
    let resume = json!([{"interruptId": "5ccb84add0c35b246ff68eee071e9fd4", "status": "resolved", "payload": {"approved": true}}]);
    assert_eq!(told.bodies[1]["resume"], resume);
    assert_eq!(
        told.bodies[1]["forwardedProps"],
        json!({}),
        "told both ways, answered the new way"
    );
}

#[tokio::test]
async fn an_older_langgraph_is_answered_by_a_command() {
    let test = approved(
        "id: 3799087e3c731413ae45219de9700a39,",
        "Result: deleted u-9",
    );
    let test = test.replace("exact: 1", "min: 1");
    let told = Told::of(
        &[
            "langgraph-legacy-interrupt-run1",
            "langgraph-interrupt-run2-resume",
        ],
        &test,
    )
    .await;
    assert_eq!(
        told.bodies[1]["forwardedProps"],
        json!({"command": {"resume": {"approved": true}}})
    );
    assert!(told.bodies[1].get("resume").is_none());
    // The second response is that of another capture: its call has another id.
    assert_eq!(told.verdict(), ["passed"]);
}

#[tokio::test]
async fn an_approval_of_the_microsoft_agent_framework() {
    let test = approved("tool: delete_account,", "^Hello! You said: $");
    let told = Told::of(&["maf-approval-run1", "maf-approval-run2"], &test).await;
    assert_eq!(told.verdict(), ["passed"]);
    assert_eq!(
        told.calls()[0],
        ["delete_account", "confirm_changes"],
        "the call it makes up is there as sent"
    );
}

#[tokio::test]
async fn an_approval_of_agno_is_a_tool_message() {
    let test = APPROVED
        .split("    assert:\n")
        .next()
        .unwrap()
        .replace("ID", "")
        .replace(", payload: { approved: true }", "");
    let told = Told::of(&["agno-confirm-run1", "agno-trip"], &test).await;
    assert_eq!(told.verdict(), ["passed"]);
    let messages = told.bodies[1]["messages"].as_array().unwrap();
    let last = messages.last().unwrap();
    assert_eq!(
        (&last["role"], &last["toolCallId"], &last["content"]),
        (
            &json!("tool"),
            &json!("agcall_0009"),
            &json!("{\"accepted\":true}")
        )
    );
    assert!(told.bodies[1].get("resume").is_none());
}

#[tokio::test]
async fn a_front_end_tool_of_pydantic_ai() {
    let test = r#"client_tools: [{ name: setColor, description: "Paints", mock: { result: { ok: true } } }]
turns:
  - user: "blue, please"
    assert:
      tools:
        require: [{ name: setColor, args_match: { color: "^blue$" }, result_match: '"ok":true', count: { exact: 1 } }]
      text: { must_match: "^The frontend said: .'ok': True.$" }
"#;
    let told = Told::of(&["pydantic-frontend-run1", "pydantic-frontend-run2"], test).await;
    assert_eq!(
        told.verdict(),
        ["passed"],
        "{:#?}",
        told.outcome.transcript.turns
    );
    let tools = json!([{"name": "setColor", "description": "Paints", "parameters": {"type": "object", "properties": {}}}]);
    assert_eq!(
        (&told.bodies[0]["tools"], &told.bodies[1]["tools"]),
        (&tools, &tools)
    );
    let answer = told.bodies[1]["messages"]
        .as_array()
        .unwrap()
        .last()
        .unwrap();
    assert_eq!(
        (&answer["toolCallId"], &answer["content"]),
        (&json!("call_0014"), &json!("{\"ok\":true}"))
    );
}

#[tokio::test]
async fn an_interrupt_left_alone_is_named() {
    let test = "turns: [{ user: \"delete it\" }, { user: \"and now?\" }]\n";
    let told = Told::of(&["pydantic-interrupt-run1"], test).await;
    let message = "2: the agent waits for an answer to its interrupt `int-call_0018` about `delete_account`: Approve delete_account({\"user_id\":\"u-9\"})?";
    assert_eq!(told.verdict(), ["failed", message]);
}

//! Whole conversations with a model: the tool loop, both forms of history, approvals, and what the next request has.

use ananke::outcome::{Outcome, Status};
use serde_json::{Value, json};

use super::{call, completed, message, stream};
use crate::support::project::Project;
use crate::support::raw_agent::{Captured, RawAgent};
use crate::wire::openai::{TOOLS, body, response};

/// Tests a model whose responses have these items.
async fn tested(responses: &[Value], target: &str, test: &str) -> (Outcome, Vec<Value>) {
    let mut steps = Vec::new();
    for (number, output) in responses.iter().enumerate() {
        let mut last = completed(output);
        last["response"]["id"] = format!("resp_{number}").into();
        steps.push(response("200 OK", "", &stream(&[last])));
    }
    let agent = RawAgent::start(steps).await;
    let config = format!(
        "version: \"1.4\"\ntarget: {{ type: responses, endpoint: \"{}\", model: m, {target} }}\n",
        agent.url().replace("/agent", "/v1")
    );
    let test = format!("version: \"1.4\"\nname: a\n{test}");
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    let outcome = project.run().await.remove(0);
    let requests: Vec<Captured> = agent.requests().await;
    (outcome, requests.iter().map(body).collect())
}

fn assert_passed(outcome: &Outcome) {
    let problem = outcome.first_problem();
    assert_eq!(outcome.status(), Status::Passed, "{problem:?}");
}

const TURNS: &str = "turns: [{ user: \"Where is it?\", assert: { tools: { require: [{ name: find_order }] }, text: { contains: \"on its way\" } } }, { user: Thanks }]\n";

/// The items of three responses: reasoning and a call, its answer, and a farewell.
fn responses() -> [Value; 3] {
    let reasoning =
        json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gA" });
    let bare = json!({ "type": "reasoning", "id": "rs_2", "summary": [] });
    [
        json!([reasoning, call("fc_1", "call_1", "find_order", "")]),
        json!([bare, message("m_1", "It is on its way.")]),
        json!([message("m_2", "Welcome")]),
    ]
}

#[tokio::test]
async fn the_whole_conversation_goes_with_each_request() {
    let target =
        "instructions: Be brief, params: { temperature: 0, tools: [{ type: web_search }] }";
    let test = TOOLS.to_owned() + TURNS;
    let (outcome, requests) = tested(&responses(), target, &test).await;
    assert_passed(&outcome);

    let tool = json!({ "type": "function", "name": "find_order", "description": "Finds an order", "parameters": { "type": "object" }, "strict": false });
    let user = json!({ "role": "user", "content": "Where is it?" });
    let expected = json!({
        "model": "m", "input": [user], "instructions": "Be brief", "stream": true, "store": false,
        "tools": [tool, { "type": "web_search" }], "temperature": 0,
    });
    assert_eq!(requests[0], expected);
    let reasoning =
        json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gA" });
    let answer = json!({ "type": "function_call_output", "call_id": "call_1", "output": "{\"order\":\"O-7\"}" });
    let called = call("fc_1", "call_1", "find_order", "");
    assert_eq!(
        requests[1]["input"],
        json!([user, reasoning, called, answer])
    );
    let said = message("m_1", "It is on its way.");
    let thanks = json!({ "role": "user", "content": "Thanks" });
    assert_eq!(
        requests[2]["input"],
        json!([user, reasoning, called, answer, said, thanks])
    );
}

#[tokio::test]
async fn a_stored_conversation_is_named_by_its_last_response() {
    let test = TOOLS.to_owned() + TURNS;
    let target = "instructions: Be brief, history: previous_response_id";
    let (outcome, requests) = tested(&responses(), target, &test).await;
    assert_passed(&outcome);
    assert_eq!(requests[0]["store"], true);
    assert_eq!(requests[0].get("previous_response_id"), None);
    let answer = json!({ "type": "function_call_output", "call_id": "call_1", "output": "{\"order\":\"O-7\"}" });
    assert_eq!(requests[1]["input"], json!([answer]));
    assert_eq!(requests[1]["previous_response_id"], "resp_0");
    assert_eq!(requests[1]["instructions"], "Be brief");
    assert_eq!(
        requests[2]["input"],
        json!([{ "role": "user", "content": "Thanks" }])
    );
    assert_eq!(requests[2]["previous_response_id"], "resp_1");
}

#[tokio::test]
async fn an_approval_is_an_interrupt_and_its_call_is_one_call() {
    let asks = json!([{ "type": "mcp_approval_request", "id": "mcpr_1", "name": "refund", "server_label": "shop", "arguments": "{\"eur\":7}" }]);
    for executed in [
        json!({ "type": "mcp_call", "id": "mcp_1", "name": "refund", "server_label": "shop", "arguments": "{\"eur\": 7}", "output": "done" }),
        json!({ "type": "mcp_call", "id": "mcp_1", "name": "refund", "approval_request_id": "mcpr_1", "arguments": "{}", "output": "done" }),
    ] {
        let test = "turns:
  - user: Refund it
    assert: { outcome: interrupted, tools: { require: [{ name: refund, status: pending }] } }
  - type: resume
    resume: [{ status: resolved, payload: { approve: true, reason: fine } }]
assert: { tools: { require: [{ name: refund, count: { exact: 1 }, args: { eur: 7 }, result: done }] } }
";
        let (outcome, requests) = tested(&[asks.clone(), json!([executed])], "", test).await;
        assert_passed(&outcome);
        let answer = json!({ "type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true, "reason": "fine" });
        let input = requests[1]["input"].as_array().expect("a list");
        assert_eq!(input.last(), Some(&answer));
    }
}

/// A call to a tool of the API is no mistake of the target: it stays open, and a turn may answer it.
#[tokio::test]
async fn a_tool_that_the_client_must_execute_stays_open() {
    let screen = json!({ "type": "computer_call", "id": "cu_1", "call_id": "call_1", "action": { "type": "click", "x": 1, "y": 2 }, "pending_safety_checks": [] });
    let test = "turns:
  - user: Click
    assert: { tools: { require: [{ name: computer, status: pending, args: { type: click } }] } }
";
    let (outcome, _) = tested(&[json!([screen])], "", test).await;
    assert_passed(&outcome);
}

#[tokio::test]
async fn a_function_that_is_not_declared_is_an_error() {
    let output = json!([call("f", "c", "drop_all", "{}")]);
    let test = TOOLS.to_owned() + "turns: [{ user: hi }]\n";
    let (outcome, _) = tested(&[output], "", &test).await;
    let (_, problem) = outcome.first_problem().expect("a problem");
    assert_eq!(
        problem.message,
        "the model called the tool `drop_all`, which is not declared; declared are `find_order`"
    );
    assert!(
        problem
            .help
            .as_deref()
            .is_some_and(|help| help.contains("tools: observed"))
    );
}

/// A server that executes its functions itself is not sent their calls and results back.
#[tokio::test]
async fn observed_calls_do_not_go_back() {
    let result =
        json!({ "type": "function_call_output", "id": "o", "call_id": "c", "output": "ok" });
    let first = json!([call("f", "c", "pay", "{}"), result, message("m", "Paid.")]);
    let test = "turns: [{ user: pay, assert: { tools: { require: [{ name: pay, result: ok }] } } }, { user: bye }]\n";
    let responses = [first, json!([message("n", "Bye")])];
    let (outcome, requests) = tested(&responses, "tools: observed", test).await;
    assert_passed(&outcome);
    let user = |text: &str| json!({ "role": "user", "content": text });
    assert_eq!(
        requests[1]["input"],
        json!([user("pay"), message("m", "Paid."), user("bye")])
    );
}

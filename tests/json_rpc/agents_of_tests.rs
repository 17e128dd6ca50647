//! Tests of a project whose agent the client has: `type: external`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::Rpc;

const CONFIG: &str = "
version: \"1.4\"
target: shop
targets:
  shop: { type: external, agent: my shop }
  other: { type: scripted, agentId: other, rules: [{ do: [{ say: Hello }] }] }
";

const TESTS: &str = "
version: \"1.4\"
tests:
  - name: two turns
    turns:
      - user: Log in
        assert: { tools: { require: [login] } }
      - user: Pay
        assert: { tools: { require: [{ name: pay, after: login }], forbid: [refund] }, text: { contains: Paid } }
  - name: elsewhere
    target: other
    turns: [{ user: Hi, assert: { text: Hello } }]
  - name: breaks
    turns: [{ user: Break }]
";

/// A project with such tests.
fn project() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("ananke.config.yaml"), CONFIG).unwrap();
    fs::write(folder.path().join("a.test.yaml"), TESTS).unwrap();
    folder
}

/// The messages of a run, and its answer, while the client's agent logs in, pays and breaks.
struct ProjectRun {
    /// The parameters of each `agent/turn`.
    turns: Vec<Value>,
    results: Vec<Value>,
    answer: Value,
}

/// Tells ananke of an event of the turn that `asked` asks for.
fn event(rpc: &mut Rpc, asked: &Value, event: Value) {
    let mut message = json!({ "jsonrpc": "2.0", "method": "agent/event" });
    message["params"] = json!({ "session": asked["session"], "turn": asked["turn"] });
    message["params"]["event"] = event;
    rpc.write(message.to_string().as_bytes());
}

fn run(rpc: &mut Rpc, params: Value) -> ProjectRun {
    let id = rpc.request("tests/run", params);
    let (mut turns, mut results) = (Vec::new(), Vec::new());
    loop {
        let line = rpc.next();
        match line["method"].as_str() {
            Some("agent/turn") => {
                let asked = line["params"].clone();
                let answer = act(rpc, &asked);
                rpc.answer(&line, answer);
                turns.push(asked);
            }
            Some("test/result") => results.push(line["params"].clone()),
            Some(other) => panic!("{other} is not asked in a run"),
            None => {
                assert_eq!(line["id"], id, "{line}");
                let answer = line["result"].clone();
                return ProjectRun {
                    turns,
                    results,
                    answer,
                };
            }
        }
    }
}

/// What the agent does in a turn, and its answer.
fn act(rpc: &mut Rpc, asked: &Value) -> Value {
    let number = asked["turn"].as_u64().unwrap();
    let tool = match asked["input"].as_str().unwrap() {
        "Log in" => "login",
        "Pay" => "pay",
        _ => return json!({ "error": { "code": -32000, "message": "out of order" } }),
    };
    let id = format!("c{number}");
    event(
        rpc,
        asked,
        json!({ "type": "call", "at_ms": 1, "id": id, "name": tool, "arguments": { "n": 1 } }),
    );
    event(
        rpc,
        asked,
        json!({ "type": "result", "at_ms": 2, "id": id, "output": "ok", "is_error": false }),
    );
    for delta in ["Pa", "id"] {
        event(
            rpc,
            asked,
            json!({ "type": "text", "at_ms": 3, "message_id": "m", "delta": delta }),
        );
    }
    json!({ "result": { "outcome": "finished" } })
}

fn status(run: &ProjectRun, name: &str) -> String {
    let is_it = |notice: &&Value| notice["result"]["name"] == name;
    let notice = run.results.iter().find(is_it).unwrap();
    notice["result"]["status"].as_str().unwrap().to_owned()
}

#[test]
fn the_client_is_asked_for_the_turns_of_tests_beside_other_targets() {
    let folder = project();
    let mut rpc = Rpc::start_in(folder.path());
    let run = run(&mut rpc, json!({}));
    assert_eq!(status(&run, "two turns"), "passed", "{:?}", run.results);
    assert_eq!(status(&run, "elsewhere"), "passed");
    assert_eq!(status(&run, "breaks"), "error");
    assert_eq!(run.answer["summary"]["passed"], 2);

    let [login, pay, breaks] = &run.turns[..] else {
        panic!("three turns: {:?}", run.turns);
    };
    assert_eq!(login["agent"], "my shop");
    assert_eq!(login.get("before"), None);
    let thread = &run.results[0]["result"]["thread_id"];
    assert_eq!(&login["session"], thread);
    assert_eq!(&pay["session"], thread);
    assert_ne!(&breaks["session"], thread);
    // The client learns of a turn what it is for ananke: one message, and the tool of the result.
    assert_eq!(
        pay["before"],
        json!({ "input": "Log in", "events": [
            { "type": "function_call", "name": "login", "arguments": { "n": 1 }, "tool_call_id": "c1" },
            { "type": "function_call_output", "name": "login", "output": "ok", "is_error": false, "tool_call_id": "c1" },
            { "type": "message", "role": "assistant", "content": "Paid" },
        ] })
    );
}

#[test]
fn tests_at_once_have_sessions_of_their_own_and_repeated_ones_too() {
    let folder = project();
    let mut text = "version: \"1.4\"\ntests:\n".to_owned();
    for number in 0..8 {
        writeln!(
            text,
            "  - {{ name: t{number}, runs: 2, turns: [{{ user: Log in, assert: {{ tools: {{ require: [login] }} }} }}] }}"
        )
        .unwrap();
    }
    fs::write(folder.path().join("a.test.yaml"), text).unwrap();
    let mut rpc = Rpc::start_in(folder.path());
    let run = run(&mut rpc, json!({ "parallel": 8 }));
    assert_eq!(run.answer["summary"]["passed"], 8);
    let sessions: BTreeSet<String> = run
        .turns
        .iter()
        .map(|turn| turn["session"].to_string())
        .collect();
    assert_eq!((run.turns.len(), sessions.len()), (16, 16));
    assert!(run.turns.iter().all(|turn| turn["turn"] == 1));
}

#[test]
fn an_event_after_the_end_of_its_turn_is_a_warning_of_the_result() {
    let folder = project();
    let mut rpc = Rpc::start_in(folder.path());
    let id = rpc.request("tests/run", json!({ "ids": ["a.test.yaml::two turns"] }));
    let mut late = None;
    let result = loop {
        let line = rpc.next();
        match line["method"].as_str() {
            Some("agent/turn") => {
                let asked = line["params"].clone();
                if let Some(earlier) = late.replace(asked.clone()) {
                    event(
                        &mut rpc,
                        &earlier,
                        json!({ "type": "call", "at_ms": 9, "id": "x", "name": "refund", "arguments": {} }),
                    );
                }
                let answer = act(&mut rpc, &asked);
                rpc.answer(&line, answer);
            }
            Some(_) => break line["params"].clone(),
            None => panic!("the result comes first: {line}"),
        }
    };
    assert_eq!(
        result["warnings"],
        json!([
            "the call `refund` of turn 1 came after the end of the turn, and is not part of it"
        ])
    );
    rpc.answer_of(id, &super::nothing).unwrap();
}

#[test]
fn tests_are_recorded_and_replayed_without_the_agent() {
    let folder = project();
    let mut rpc = Rpc::start_in(folder.path());
    let live = run(&mut rpc, json!({ "record": "recorded" }));
    let replayed = run(&mut rpc, json!({ "replay": "recorded" }));
    assert_eq!(replayed.turns, [] as [Value; 0]);
    for name in ["two turns", "elsewhere", "breaks"] {
        assert_eq!(status(&live, name), status(&replayed, name), "{name}");
    }
}

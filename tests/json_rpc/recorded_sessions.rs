//! Sessions that are recorded once, and replayed without their agent.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Answers, Rpc, calls, events, is_after_tools, nothing, says};

/// Opens a session, says `inputs`, and closes it: the events of each turn.
fn conversation(
    rpc: &mut Rpc,
    open: Value,
    inputs: &[&str],
    answers: Answers<'_>,
) -> Vec<Vec<String>> {
    let opened = rpc.call("session/open", open).unwrap();
    let session = &opened["session"];
    let mut said = Vec::new();
    for input in inputs {
        let params = json!({ "session": session, "input": input });
        let run = rpc.call_with("session/run", params, answers).unwrap();
        said.push(events(&run));
    }
    let close = json!({ "session": session });
    rpc.call("session/close", close).unwrap();
    said
}

/// An agent of the client that says how often it was asked.
fn counts(method: &str, params: &Value) -> Value {
    assert_eq!(method, "agent/turn");
    json!({ "result": { "outcome": "finished", "usage": { "input_tokens": params["turn"] } } })
}

fn recorded(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder.join("made")).unwrap() {
        names.push(entry.unwrap().file_name().into_string().unwrap());
    }
    names.sort();
    names
}

#[test]
fn an_agent_of_the_client_is_replayed_with_its_tokens() {
    let folder = TempDir::new().unwrap();
    let mut rpc = Rpc::start_in(folder.path());
    let open = |mode: &str| json!({ "agent": "external", "name": "shop", mode: "made", "id": "two-turns" });
    conversation(&mut rpc, open("record"), &["Hi", "Bye"], &counts);
    assert_eq!(recorded(folder.path()), ["two-turns.jsonl"]);

    let opened = rpc.call("session/open", open("replay")).unwrap();
    let session = &opened["session"];
    for (input, tokens) in [("Hi", 1), ("Bye", 2)] {
        let params = json!({ "session": session, "input": input });
        rpc.call("session/run", params).unwrap();
        let rules = json!({ "session": session, "yaml": format!("usage: {{ max_input_tokens: {} }}", tokens - 1) });
        let found = rpc.call("session/check", rules).unwrap();
        assert_eq!(found["findings"][0]["actual"], tokens, "{found}");
    }
    // What was never recorded is never asked.
    let third = rpc.call(
        "session/run",
        json!({ "session": session, "input": "More" }),
    );
    let message = third.unwrap_err()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("recording"), "{message}");
}

#[test]
fn a_model_of_the_client_is_replayed_and_its_tools_are_executed_again() {
    let folder = TempDir::new().unwrap();
    let mut rpc = Rpc::start_in(folder.path());
    let open = |mode: &str| json!({ "agent": "caller", "tools": [{ "name": "add" }], mode: "made", "id": "sum" });
    let tool = |method: &str, _: &Value| {
        assert_eq!(method, "tool/call");
        json!({ "result": { "output": 3 } })
    };
    let live = |method: &str, params: &Value| match method {
        "model/call" if is_after_tools(params) => says("It is 3."),
        "model/call" => calls(&[("c1", "add", json!({ "a": 1 }))]),
        _ => tool(method, params),
    };
    let first = conversation(&mut rpc, open("record"), &["Add"], &live);
    let again = conversation(&mut rpc, open("replay"), &["Add"], &tool);
    assert_eq!(first, [["add({\"a\":1})", "add: 3", "assistant: It is 3."]]);
    assert_eq!(first, again);
}

#[test]
fn other_words_than_the_recorded_ones_are_an_error() {
    let folder = TempDir::new().unwrap();
    let mut rpc = Rpc::start_in(folder.path());
    let open = |mode: &str| json!({ "agent": "external", mode: "made", "id": "one" });
    conversation(&mut rpc, open("record"), &["Hi"], &counts);
    let opened = rpc.call("session/open", open("replay")).unwrap();
    let params = json!({ "session": opened["session"], "input": "Hello" });
    let error = rpc.call_with("session/run", params, &nothing).unwrap_err();
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("Hello") || message.contains("differs"),
        "{message}"
    );
}

#[test]
fn keys_that_do_not_go_together_are_refused() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let mut rpc = Rpc::start_in(folder.path());
    for (keys, why) in [
        (
            json!({ "record": "a", "replay": "b", "id": "x" }),
            "do not go together",
        ),
        (json!({ "record": "a" }), "need the `id`"),
        (json!({ "id": "x" }), "goes with `record` or `replay`"),
        (
            json!({ "replay": "missing", "id": "x" }),
            "there is no directory `missing`",
        ),
        (
            json!({ "replay": ".", "id": "x" }),
            "there is no recording of `x` in `.`",
        ),
        (json!({ "record": "file", "id": "x" }), "file"),
    ] {
        let mut open = json!({ "agent": "external" });
        open.as_object_mut()
            .unwrap()
            .extend(keys.as_object().unwrap().clone());
        let error = rpc.call("session/open", open).unwrap_err();
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(why), "{message}");
    }
}

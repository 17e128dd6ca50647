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

#[test]
fn what_a_replay_lacks_is_said_at_its_first_turn_or_at_its_end() {
    let folder = TempDir::new().unwrap();
    let mut rpc = Rpc::start_in(folder.path());
    let open = |mode: &str, id: &str| json!({ "agent": "external", mode: "made", "id": id });
    conversation(&mut rpc, open("record", "two"), &["Hi", "Bye"], &counts);

    // A session without a turn is the same in a replay.
    conversation(&mut rpc, open("replay", "none"), &[], &nothing);
    let opened = rpc.call("session/open", open("replay", "none")).unwrap();
    let params = json!({ "session": opened["session"], "input": "Hi" });
    let error = rpc.call("session/run", params).unwrap_err();
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("there is no recording of `none` in `made`"),
        "{message}"
    );

    // Fewer turns, of a recording that was changed.
    let file = folder.path().join("made/two.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"Bye\"", "\"Bye!\"", 1)).unwrap();
    let opened = rpc.call("session/open", open("replay", "two")).unwrap();
    let session = &opened["session"];
    rpc.call("session/run", json!({ "session": session, "input": "Hi" }))
        .unwrap();
    let closed = rpc
        .call("session/close", json!({ "session": session }))
        .unwrap();
    let warnings = closed["warnings"].to_string();
    assert!(
        warnings.contains("was changed after it was recorded"),
        "{warnings}"
    );
    assert!(
        warnings.contains("holds 1 request that the test no longer sends"),
        "{warnings}"
    );
}

#[test]
fn secrets_of_the_config_are_in_no_recording_of_a_target_in_place() {
    let folder = TempDir::new().unwrap();
    let config = "version: \"1.4\"\ntarget: { type: scripted, rules: [{ do: [{ say: \"sk-aaaabbbb\" }] }] }\nredact: [{ match: \"sk-[a-z]{8}\" }]\n";
    fs::write(folder.path().join("ananke.config.yaml"), config).unwrap();
    let mut rpc = Rpc::start_in(folder.path());
    let open = |keys: Value, id: &str| {
        let mut open = json!({ "record": "made", "id": id });
        open.as_object_mut()
            .unwrap()
            .extend(keys.as_object().unwrap().clone());
        open
    };
    let says_key = |_: &str, _: &Value| says("the key is sk-aaaabbbb");
    conversation(
        &mut rpc,
        open(json!({ "agent": "caller" }), "caller"),
        &["Hi"],
        &says_key,
    );
    let fails =
        |_: &str, _: &Value| json!({ "error": { "code": -32000, "message": "no sk-aaaabbbb" } });
    let opened = rpc
        .call(
            "session/open",
            open(json!({ "agent": "external" }), "external"),
        )
        .unwrap();
    let session = &opened["session"];
    let params = json!({ "session": session, "input": "is it sk-aaaabbbb?" });
    rpc.call_with("session/run", params, &fails).unwrap_err();
    rpc.call("session/close", json!({ "session": session }))
        .unwrap();
    // The target of the config has the list anyway.
    conversation(&mut rpc, open(json!({}), "config"), &["Hi"], &nothing);
    assert_eq!(recorded(folder.path()).len(), 3);
    for name in recorded(folder.path()) {
        let text = fs::read_to_string(folder.path().join("made").join(&name)).unwrap();
        assert!(!text.contains("sk-aaaabbbb"), "{name}: {text}");
        assert!(text.contains("secret"), "{name}: {text}");
    }
}

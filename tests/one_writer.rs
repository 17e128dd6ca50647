//! One writer of tests: the same conversation gives the same test, whether it was typed, passed a proxy, is in a trace, was
//! recorded and frozen, or is a walk that failed.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use crate::mocks::server::{Serving, embedded, project, run};
use crate::proxies::{client_of, proxy, written};

/// An agent that greets, and finds an order whose id it makes up.
const AGENT: &str = r#"    - when: { user: "^Find" }
      do: [{ call: { tool: find, args: { order: O-7, at: "2026-12-24" }, result: { state: open } } }, { call: { tool: note, args: {}, result: done } }, { say: "It is open.\n- user: not a turn" }]
    - { do: [{ say: "Hello, what is it?" }] }
"#;

/// The inputs of the conversation.
const SAID: [&str; 2] = ["Hi, ${name}", "Find O-7"];

/// The same conversation as a list of messages.
fn messages() -> Value {
    let call = |id: &str, name: &str, args: &Value| {
        let function = json!({ "name": name, "arguments": args.to_string() });
        json!({ "id": id, "type": "function", "function": function })
    };
    let find = call("a", "find", &json!({ "order": "O-7", "at": "2026-12-24" }));
    let note = call("b", "note", &json!({}));
    json!([
        { "role": "user", "content": SAID[0] },
        { "role": "assistant", "content": "Hello, what is it?" },
        { "role": "user", "content": SAID[1] },
        { "role": "assistant", "content": null, "tool_calls": [find] },
        { "role": "tool", "tool_call_id": "a", "content": "{\"state\":\"open\"}" },
        { "role": "assistant", "content": null, "tool_calls": [note] },
        { "role": "tool", "tool_call_id": "b", "content": "done" },
        { "role": "assistant", "content": "It is open.\n- user: not a turn" },
    ])
}

/// A project whose agent listens on this port, with these keys of its target in addition.
fn shop(port: u16, keys: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let config = format!(
        "version: \"1.4\"\ntarget:\n  type: agui\n  agentId: shop\n  endpoint: http://127.0.0.1:{port}/\n{keys}"
    );
    fs::write(folder.path().join("ananke.config.yaml"), config).unwrap();
    folder
}

/// Runs the program in `folder` with these arguments, and these lines as its standard input; its exit code is `expected`.
async fn ananke(folder: &Path, expected: i32, arguments: &[&str], lines: &str) {
    let arguments: Vec<String> = arguments
        .iter()
        .map(|&argument| argument.to_owned())
        .collect();
    let (folder, lines) = (folder.to_owned(), lines.to_owned());
    let output = spawn_blocking(move || {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ananke"))
            .args(&arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        // A program that reads nothing may have ended.
        let _is_read = child.stdin.take().unwrap().write_all(lines.as_bytes());
        child.wait_with_output().expect("an end")
    });
    let output = output.await.unwrap();
    assert_eq!(output.status.code(), Some(expected), "{output:#?}");
}

/// The files below `folder` whose names end with `end`.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found
}

/// The text of a test without its origin and its name.
fn unnamed(text: &str) -> String {
    let lines = text.split_inclusive('\n').skip(1);
    lines.filter(|line| !line.starts_with("name: ")).collect()
}

async fn typed(port: u16) -> String {
    let folder = shop(port, "");
    let lines = SAID.join("\n") + "\n";
    ananke(
        folder.path(),
        0,
        &["record", "-o", "typed.test.yaml"],
        &lines,
    )
    .await;
    fs::read_to_string(folder.path().join("typed.test.yaml")).unwrap()
}

async fn passed(port: u16) -> String {
    let (serving, capture) = proxy(&format!("http://127.0.0.1:{port}/")).await;
    serving.post(&run("a", &SAID[..1])).await;
    serving.post(&run("a", &SAID)).await;
    written(&client_of(port), &capture).await.0.text
}

async fn traced(port: u16) -> String {
    let folder = shop(port, "");
    fs::write(folder.path().join("trace.json"), messages().to_string()).unwrap();
    let arguments = [
        "freeze",
        "trace.json",
        "--from",
        "openai",
        "-o",
        "traced.test.yaml",
    ];
    ananke(folder.path(), 0, &arguments, "").await;
    fs::read_to_string(folder.path().join("traced.test.yaml")).unwrap()
}

/// Records the test with this text, and freezes it.
async fn frozen(port: u16, test: &str) -> String {
    let folder = shop(port, "");
    fs::write(folder.path().join("own.test.yaml"), test).unwrap();
    ananke(folder.path(), 0, &["run", "--record", "kept"], "").await;
    let recording = files(&folder.path().join("kept"), ".jsonl").remove(0);
    ananke(
        folder.path(),
        0,
        &["freeze", recording.to_str().unwrap()],
        "",
    )
    .await;
    fs::read_to_string(folder.path().join("own.frozen.test.yaml")).unwrap()
}

/// The frozen walk that breaks a rule of the target, whose actions are the turns of the test with this text.
async fn walked(port: u16, test: &str) -> String {
    let folder = shop(port, "  assert: { tools: { forbid: [note] } }\n");
    let read: Value = serde_yaml::from_str(test).unwrap();
    let mut find = read["turns"][1].clone();
    find["needs"] = json!({ "text": { "contains": "what is it" } });
    let actions = json!({ "greet": read["turns"][0], "find": find });
    let walk = json!({ "version": "1.4", "name": "a walk", "walk": { "actions": actions } });
    fs::write(folder.path().join("walk.test.yaml"), walk.to_string()).unwrap();
    ananke(folder.path(), 1, &["run"], "").await;
    let file = files(&folder.path().join(".ananke/walks"), ".test.yaml").remove(0);
    fs::read_to_string(file).unwrap()
}

#[tokio::test]
async fn one_conversation_is_one_test_however_it_was_held() {
    let agent = Serving::start(embedded(&project(AGENT))).await;
    let typed = typed(agent.port).await;
    let expected = r#"version: "1.4"
turns:
  - user: "Hi, $${name}"
    assert:
      tools:
        allow_only: []
    # agent: Hello, what is it?
  - user: Find O-7
    assert:
      tools:
        require:
          - name: find
            args:
              order: O-7
            args_match:
              at: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
          - name: note
      sequence:
        mode: in_order
        steps:
          - call: find
          - call: note
    # agent: It is open.
    #   - user: not a turn
"#;
    assert_eq!(unnamed(&typed), expected, "{typed}");
    let said = SAID.map(|said| json!({ "user": said.replace("${", "$${") }));
    let without_rules = json!({ "version": "1.4", "name": "own", "turns": said }).to_string();
    for (way, text) in [
        ("a proxy", passed(agent.port).await),
        ("a trace", traced(agent.port).await),
        (
            "a test without rules",
            frozen(agent.port, &without_rules).await,
        ),
        (
            "the test that was written",
            frozen(agent.port, &typed).await,
        ),
        ("a walk that failed", walked(agent.port, &typed).await),
    ] {
        assert_eq!(unnamed(&text), expected, "{way}:\n{text}");
    }
}

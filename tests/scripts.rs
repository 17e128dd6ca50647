//! Scripts as rules: their requests, which of their processes are left, and that a recording replaces them.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ananke::assertion::ScriptSource;
use ananke::hook::{self, Expected, ScriptRequest};
use ananke::outcome::{ErrorKind, Outcome, Status};
use ananke::process::Launch;
use ananke::recording::{RecordingMode, Recordings, RequestMatch};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::hooks::{SOON, gone, launch};
use crate::replay::{Nowhere, outcomes, recordings};
use crate::support::canned::Canned;
use crate::support::project::Project;

const CONFIG: &str = r#"version: "1.3"
target:
  type: scripted
  client_tools: [{ name: book, mock: { script: book } }]
  rules:
    - when: { turn: 1 }
      do:
        - call: { tool: find, id: call-1, args: { order: 7 }, result: { total: 89.5 } }
        - call: { tool: ask, id: call-2, args: {}, result: "no idea", failure: failed, subagent: helper }
        - say: "One moment."
        - say: "It comes to 89.50."
    - do:
        - call: { tool: book, id: call-3, args: { day: monday } }
        - say: "Booked."
scripts:
  keep: { cmd: [sh, -c, 'cat > $FILE; echo true'], env: { FILE: "${FILE:-request}" } }
  book: { cmd: [sh, -c, 'cat > mock; echo "{\"result\": [1, 2]}"'] }
"#;

fn json_of(folder: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(name)).expect("the script was asked");
    serde_json::from_str(&text).expect("a request is JSON")
}

async fn only(project: &Project) -> Outcome {
    let mut outcomes = project.run().await;
    assert_eq!(outcomes.len(), 1);
    outcomes.remove(0)
}

#[cfg(unix)]
#[tokio::test]
async fn a_turn_is_told_whole() {
    let test = r#"version: "1.3"
name: t
turns:
  - { user: "What is it?", assert: { script: [{ script: keep, with: { a: [1, "${THREAD_ID}"] } }] } }
  - { user: "Book it" }
"#;
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("t.test.yaml", test)]);
    let outcome = only(&project).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:#?}");
    let find = json!({
        "id": "call-1", "name": "find", "args": {"order": 7}, "result": {"total": 89.5}, "is_error": false,
        "status": "executed", "turn": 1, "subagent": null,
    });
    let ask = json!({
        "id": "call-2", "name": "ask", "args": {}, "result": "no idea", "is_error": true,
        "status": "executed", "turn": 1, "subagent": "helper",
    });
    let expected = json!({
        "output": "It comes to 89.50.",
        "input": "What is it?",
        "expected": null,
        "messages": [
            {"role": "user", "content": "What is it?", "turn": 1, "subagent": null},
            {"role": "assistant", "content": "One moment.", "turn": 1, "subagent": null},
            {"role": "assistant", "content": "It comes to 89.50.", "turn": 1, "subagent": null},
        ],
        "tool_calls": [find, ask],
        "with": {"a": [1, outcome.transcript.thread_id]},
    });
    assert_eq!(json_of(project.folder(), "request"), expected);
    let mock = json!({
        "name": "book", "args": {"day": "monday"}, "call_id": "call-3", "number": 1, "turn": 2,
        "thread": outcome.transcript.thread_id,
    });
    assert_eq!(json_of(project.folder(), "mock"), mock);
}

#[cfg(unix)]
#[tokio::test]
async fn a_test_is_told_over_all_turns_that_count() {
    let test = r#"version: "1.3"
name: t
vars: { FILE: whole }
turns:
  - { user: "What is it?" }
  - { user: "Book it", assert: { script: [{ script: keep, with: { of: turn } }] } }
assert: { tools: { subagents: exclude }, script: [{ script: keep }] }
"#;
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("t.test.yaml", test)]);
    assert_eq!(only(&project).await.status(), Status::Passed);
    // The script of the whole test is asked last.
    let whole = json_of(project.folder(), "whole");
    assert_eq!(whole["with"], json!({}));
    assert_eq!(
        (&whole["output"], &whole["input"]),
        (&json!("Booked."), &json!("Book it"))
    );
    let of = |list: &str, key: &str| -> Vec<Value> {
        whole[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry[key].clone())
            .collect()
    };
    assert_eq!(of("messages", "turn"), [1, 1, 1, 2, 2]);
    assert_eq!(
        of("tool_calls", "name"),
        ["find", "book"],
        "calls of subagents are left out"
    );

    let without = test.replace(
        "\"What is it?\" }",
        "\"What is it?\", assert: { script: false } }",
    );
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("t.test.yaml", &without)]);
    assert_eq!(only(&project).await.status(), Status::Passed);
    let part = json_of(project.folder(), "whole");
    assert_eq!(part["messages"].as_array().unwrap().len(), 2);
    assert_eq!(part["tool_calls"].as_array().unwrap().len(), 1);
}

async fn ask(
    launch: &Launch,
    request: &Value,
    cancel: &CancellationToken,
) -> Result<Value, String> {
    let program = ScriptSource::Named("check".to_owned());
    let request = ScriptRequest {
        program: &program,
        launch,
        body: request,
        expected: Expected::Verdict,
    };
    hook::ask(request, cancel)
        .await
        .map_err(|error| error.to_string())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_is_left_after_a_time_out_or_a_stop() {
    let folder = TempDir::new().unwrap();
    let script = "echo $$ > a; sleep 60 & echo $! > b; echo ready > c; cat > /dev/null; wait";
    let mut slow = launch(folder.path(), &["sh", "-c", script]);
    slow.timeout = Duration::from_millis(200);
    let started = Instant::now();
    let never = CancellationToken::new();
    let answer = ask(&slow, &json!({}), &never).await;
    assert_eq!(
        answer.unwrap_err(),
        "the script `check` timed out after 200 ms and was killed"
    );
    assert!(started.elapsed() < SOON && gone(folder.path(), &["a", "b"]).await);

    std::fs::remove_file(folder.path().join("c")).unwrap();
    slow.timeout = Duration::from_mins(1);
    let stop = async {
        while !folder.path().join("c").exists() {
            sleep(Duration::from_millis(5)).await;
        }
        never.cancel();
    };
    let (request, started) = (json!({}), Instant::now());
    let (answer, ()) = tokio::join!(ask(&slow, &request, &never), stop);
    assert!(
        answer
            .unwrap_err()
            .ends_with("was killed, since the run was stopped")
    );
    assert!(started.elapsed() < SOON && gone(folder.path(), &["a", "b"]).await);
}

#[cfg(unix)]
#[tokio::test]
async fn a_large_request_is_read_or_not() {
    let folder = TempDir::new().unwrap();
    let request = json!({"pass": true, "padding": "x".repeat(4 << 20)});
    let never = CancellationToken::new();
    // Its input and its output are both much more than fits into a pipe.
    let echo = launch(folder.path(), &["cat"]);
    assert_eq!(ask(&echo, &request, &never).await.as_ref(), Ok(&request));
    let deaf = launch(folder.path(), &["echo", "false"]);
    assert_eq!(ask(&deaf, &request, &never).await, Ok(json!(false)));
    let closed = launch(
        folder.path(),
        &["sh", "-c", "exec <&-; sleep 0.05; echo true"],
    );
    assert_eq!(ask(&closed, &request, &never).await, Ok(json!(true)));
}

const HTTP_CONFIG: &str = r#"version: "1.3"
target:
  type: agui
  endpoint: "http://127.0.0.1:1/"
  agentId: a
  headers: { authorization: "Bearer ${ENV.TOKEN}" }
scripts:
  check: { cmd: [sh, -c, 'cat >> log; echo >> log; echo "$ANSWER"'], env: { ANSWER: "${ENV.ANSWER}" } }
"#;

const HTTP_TEST: &str = r#"version: "1.3"
name: t
turns: [{ user: "Who am I?", assert: { script: [{ script: check, with: { id: 7, thread: "${THREAD_ID}" } }] } }]
assert: { script: [{ script: check }] }
"#;

/// An agent that repeats the secret that it received.
fn body(secret: &str) -> String {
    let events = [
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": format!("You are \"{secret}\".")}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
    ];
    events
        .map(|event| event.to_string())
        .map(|event| ["data: ", &event, "\n\n"].concat())
        .concat()
}

/// A project with this test, and the output of its live run; recorded in `kept`.
async fn recorded(test: &str, answer: &str) -> (Project, Vec<Outcome>) {
    let project = Project::new(&[("ananke.config.yaml", HTTP_CONFIG), ("t.test.yaml", test)]);
    let project = project
        .with_environment("PATH", "/usr/bin:/bin")
        .with_environment("ANSWER", answer);
    let project = project.with_environment("TOKEN", "s3cr3t-t0ken");
    let bodies = Mutex::new(vec![body("s3cr3t-t0ken").into_bytes()]);
    let canned = Arc::new(Canned {
        bodies,
        chunk: usize::MAX,
    });
    let live = outcomes(
        &project,
        canned,
        &recordings(&project.folder().join("kept"), RecordingMode::Record),
    )
    .await;
    (project, live)
}

async fn played(project: &Project, requests: RequestMatch) -> Vec<Outcome> {
    let kept = recordings(&project.folder().join("kept"), RecordingMode::Replay);
    outcomes(project, Arc::new(Nowhere), &Recordings { requests, ..kept }).await
}

fn change(project: &Project, from: &str, to: &str) {
    let path = project.folder().join("t.test.yaml");
    let test = std::fs::read_to_string(&path).unwrap();
    assert!(test.contains(from));
    std::fs::write(path, test.replace(from, to)).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_recording_speaks_for_the_scripts() {
    for (answer, status) in [
        ("true", Status::Passed),
        (
            r#"{"pass": false, "message": "no s3cr3t-t0ken"}"#,
            Status::Failed,
        ),
        ("s3cr3t-t0ken", Status::Error),
    ] {
        let (project, live) = recorded(HTTP_TEST, answer).await;
        assert_eq!(live[0].status(), status, "{live:#?}");
        let log = project.folder().join("log");
        let asked = std::fs::read_to_string(&log).unwrap();
        assert_eq!(
            asked.lines().count(),
            if status == Status::Passed { 2 } else { 1 }
        );
        assert!(
            asked.contains(r#"You are \"s3cr3t-t0ken\"."#),
            "a script gets what is true: {asked}"
        );
        let kept = std::fs::read_to_string(project.folder().join("kept/t/t.jsonl")).unwrap();
        assert!(
            !kept.contains("s3cr3t-t0ken") && kept.contains(r#"{"script":{"turn":1,"#),
            "{kept}"
        );

        std::fs::remove_file(&log).unwrap();
        let sealed =
            |outcomes: &[Outcome]| format!("{:?}", project.redactor.seal(outcomes[0].clone()));
        assert_eq!(
            sealed(&played(&project, RequestMatch::Exact).await),
            sealed(&live)
        );
        assert!(!log.exists(), "no script runs");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn an_answer_to_another_request_is_stale() {
    let (project, live) = recorded(HTTP_TEST, "true").await;
    assert_eq!(live[0].status(), Status::Passed);
    // The limits of the rule are not part of the request.
    change(
        &project,
        "{ script: check }]",
        "{ script: check, timeout_ms: 5 }]",
    );
    assert_eq!(
        played(&project, RequestMatch::Exact).await[0].status(),
        Status::Passed
    );

    change(&project, "id: 7", "id: 8");
    let outcome = played(&project, RequestMatch::Exact).await.remove(0);
    let problem = outcome.transcript.turns[0].problem().expect("it is stale");
    assert_eq!(
        (outcome.status(), problem.kind),
        (Status::Error, ErrorKind::Recording)
    );
    assert_eq!(
        problem.message,
        "the turn rule `script` (t.test.yaml:3) could not be evaluated: the recording `kept/t/t.jsonl` holds an answer of the script `check` to another request in turn 1"
    );
    assert!(
        problem
            .help
            .as_ref()
            .unwrap()
            .ends_with("or play it all the same with `--replay-loose`")
    );
    assert_eq!(
        played(&project, RequestMatch::Loose).await[0].status(),
        Status::Passed
    );

    change(
        &project,
        "[{ script: check, with",
        "[{ cmd: [echo, \"true\"] }, { script: check, with",
    );
    let outcome = played(&project, RequestMatch::Loose).await.remove(0);
    let problem = outcome.transcript.turns[0]
        .problem()
        .expect("it was never asked");
    assert!(
        problem.message.ends_with(
            "the recording `kept/t/t.jsonl` holds no answer of the script `[\"echo\", \"true\"]` in turn 1"
        ),
        "{}",
        problem.message
    );
}

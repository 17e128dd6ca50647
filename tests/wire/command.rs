//! Agents that are programs: what they receive, and every way in which one can be wrong. Each test is recorded and
//! replayed, with the same outcome.
#![cfg(unix)]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use ananke::outcome::{ErrorKind, Outcome, Status};
use ananke::recording::RecordingMode;
use serde_json::{Value, json};

use crate::replay::{Nowhere, outcomes, outcomes_over_http, recordings};
use crate::support::project::Project;

/// What the agents of this file do: they read a line, and print events.
const WORDS: &str = r#"
listen() {
  IFS= read -r line || exit 0
  printf '%s\n' "$line" >> seen
  run=${line#*\"runId\":\"}; run=${run%%\"*}
  thread=${line#*\"threadId\":\"}; thread=${thread%%\"*}
}
event() { printf '{"type":"%s",%s}\n' "$1" "$2"; }
start() { event RUN_STARTED "\"threadId\":\"$thread\",\"runId\":\"$run\""; }
say() { event TEXT_MESSAGE_CHUNK "\"messageId\":\"m-$run\",\"role\":\"assistant\",\"delta\":\"$1\""; }
finish() { event RUN_FINISHED "\"threadId\":\"$thread\",\"runId\":\"$run\"${1:+,$1}"; }
"#;

/// A project whose agent is this script.
fn project(script: &str, target: &str, test: &str) -> Project {
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: command, cmd: [/bin/sh, agent.sh], {target} }}\n"
    );
    let test = format!("version: \"1.3\"\nname: a\n{test}");
    let script = format!("{WORDS}{script}");
    Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &test),
        ("agent.sh", &script),
    ])
}

/// The outcome of a test, in words.
fn shown(outcome: &Outcome) -> String {
    let mut text = format!("{:?} {:?}\n", outcome.status(), outcome.verdict.warnings);
    for turn in &outcome.transcript.turns {
        let _ = writeln!(text, "{:?} {:?} {:?}", turn.end, turn.lines, turn.warnings);
    }
    text + &format!("{:?}", outcome.first_problem())
}

/// The outcome of the project's one test, which its replay must repeat.
async fn outcome(project: &Project) -> Outcome {
    let kept = tempfile::tempdir().expect("a temporary folder");
    let live = outcomes_over_http(project, &recordings(kept.path(), RecordingMode::Record))
        .await
        .remove(0);
    let replay = recordings(kept.path(), RecordingMode::Replay);
    let replayed = outcomes(project, Arc::new(Nowhere), &replay)
        .await
        .remove(0);
    assert_eq!(shown(&replayed), shown(&live));
    live
}

/// What the agent received, line by line.
fn seen(project: &Project) -> Vec<Value> {
    let seen =
        std::fs::read_to_string(project.folder().join("seen")).expect("it was sent something");
    seen.lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

const ONE_TURN: &str = "turns: [{ user: hi }]\n";

#[tokio::test]
async fn a_turn_is_a_line_and_is_answered_by_events() {
    let script = "while listen; do start; say \"hello $WHO\"; finish; echo; done";
    let target = "agentId: shop, env: { WHO: you }, forwardedProps: { tenant: a }, state: { cart: [] }, \
                  context: [{ description: page, value: /cart }]";
    let test = "turns: [{ user: one }, { user: two, forwardedProps: { n: 2 } }]\n\
                assert: { text: { must_match: hello you } }\n";
    let project = project(script, target, test);
    let outcome = outcome(&project).await;
    assert_eq!(outcome.status(), Status::Passed, "{}", shown(&outcome));
    assert_eq!(
        (outcome.verdict.warnings.len(), outcome.test.agent.as_str()),
        (0, "shop")
    );
    let seen = seen(&project);
    let expected = json!({
        "threadId": outcome.transcript.thread_id, "runId": seen[0]["runId"], "protocolVersion": "1.0",
        "state": { "cart": [] }, "tools": [], "context": [{ "description": "page", "value": "/cart" }],
        "forwardedProps": { "tenant": "a" },
        "messages": [{ "id": seen[0]["messages"][0]["id"], "role": "user", "content": "one" }],
    });
    assert_eq!(seen[0], expected);
    assert_eq!(seen[1]["forwardedProps"], json!({ "tenant": "a", "n": 2 }));
    let roles: Vec<&Value> = seen[1]["messages"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|message| &message["role"])
        .collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
}

#[tokio::test]
async fn the_time_before_a_program_is_ready_is_no_time_of_its_first_turn() {
    for (ready, is_excluded) in [("echo", true), ("true", false)] {
        let script = format!(
            "/bin/sleep 0.1; touch ready; {ready}; while true; do listen; start; say hi; finish; done"
        );
        let project = project(&script, "", "turns: [{ user: Hi }]\n");
        let outcome = outcome(&project).await;
        assert_eq!(outcome.status(), Status::Passed, "{}", shown(&outcome));
        let touched = std::fs::metadata(project.folder().join("ready"))
            .and_then(|file| file.modified())
            .expect("the program was ready");
        let touched = touched
            .duration_since(std::time::UNIX_EPOCH)
            .expect("it is after 1970");
        let began = outcome.transcript.turns[0]
            .started_unix_ms
            .expect("it was sent");
        // A file system may stamp a few milliseconds early.
        let is_after = u128::from(began) + 50 > touched.as_millis();
        assert_eq!(is_after, is_excluded, "{began} and {touched:?}");
    }
}

#[tokio::test]
async fn a_replay_that_fails_earlier_says_nothing_about_the_end_of_the_program() {
    let script = "while listen; do start; say hello; finish; done";
    let test = |says: &str| {
        format!(
            "turns: [{{ user: one, assert: {{ text: {{ contains: {says} }} }} }}, {{ user: two }}]\n"
        )
    };
    let project = project(script, "agentId: shop", &test("hello"));
    let kept = tempfile::tempdir().expect("a temporary folder");
    let recorded = recordings(kept.path(), RecordingMode::Record);
    let live = outcomes_over_http(&project, &recorded).await.remove(0);
    assert_eq!(live.status(), Status::Passed, "{}", shown(&live));
    std::fs::write(
        project.folder().join("a.test.yaml"),
        format!("version: \"1.3\"\nname: a\n{}", test("goodbye")),
    )
    .expect("the test can be changed");
    let replay = recordings(kept.path(), RecordingMode::Replay);
    let replayed = outcomes(&project, Arc::new(Nowhere), &replay)
        .await
        .remove(0);
    assert_eq!(replayed.status(), Status::Failed, "{}", shown(&replayed));
    assert_eq!(replayed.transcript.turns.len(), 1);
    assert!(replayed.verdict.warnings.is_empty(), "{}", shown(&replayed));
}

#[tokio::test]
async fn tools_interrupts_state_and_threads_work_as_over_http() {
    let script = r#"
listen; start
event TOOL_CALL_START '"toolCallId":"c-1","toolCallName":"read_scale"'
event TOOL_CALL_END '"toolCallId":"c-1"'
finish
listen; start
event STATE_SNAPSHOT '"snapshot":{"grams":412}'
finish '"outcome":{"type":"interrupt","interrupts":[{"id":"i-1","message":"Ship it?"}]}'
listen; start; say shipped; finish
listen; start
event MESSAGES_SNAPSHOT '"messages":[{"id":"m-9","role":"assistant","content":"shipped before"}]'
finish
"#;
    let target = "history: last, connect: empty_run, \
                  client_tools: [{ name: read_scale, mock: { result: { grams: 412 } } }]";
    let test = "turns:\n\
                \x20 - { user: weigh it, assert: { outcome: interrupted, state: [{ path: grams, equals: 412 }] } }\n\
                \x20 - { type: agui:resume, resume: [{ status: resolved, payload: yes }], assert: { text: { contains: shipped } } }\n\
                \x20 - { type: agui:connect, assert: { text: { contains: before } } }\n";
    let project = project(script, target, test);
    let outcome = outcome(&project).await;
    assert_eq!(outcome.status(), Status::Passed, "{}", shown(&outcome));
    let seen = seen(&project);
    assert_eq!(seen[0]["tools"][0]["name"], "read_scale");
    assert_eq!(
        seen[1]["messages"].as_array().map(Vec::len),
        Some(1),
        "only what is new"
    );
    assert_eq!(seen[1]["messages"][0]["toolCallId"], "c-1");
    assert_eq!(
        seen[2]["resume"],
        json!([{ "interruptId": "i-1", "status": "resolved", "payload": "yes" }])
    );
    assert_eq!(seen[2]["state"], json!({ "grams": 412 }));
    assert_eq!(seen[3]["messages"], json!([]));
}

#[tokio::test]
async fn each_test_has_a_program_of_its_own() {
    let config =
        "version: \"1.3\"\ntarget: { type: command, cmd: [/bin/sh, ../agent.sh], cwd: here }\n";
    let script =
        format!("{WORDS}n=0; while listen; do n=$((n + 1)); start; say \"turn $n\"; finish; done");
    let test = "version: \"1.3\"\ntests:\n\
                \x20 - { name: a, turns: [{ user: one }, { user: two, assert: { text: { contains: turn 2 } } }] }\n\
                \x20 - { name: b, turns: [{ user: one, assert: { text: { contains: turn 1 } } }] }\n";
    let files = [
        ("ananke.config.yaml", config),
        ("a.test.yaml", test),
        ("agent.sh", &script),
        ("here/x", ""),
    ];
    let project = Project::new(&files);
    let outcomes = project.run().await;
    let statuses: Vec<Status> = outcomes.iter().map(Outcome::status).collect();
    assert_eq!(statuses, [Status::Passed; 2], "{}", shown(&outcomes[0]));
    assert!(
        project.folder().join("here/seen").exists(),
        "it runs in its `cwd`"
    );
}

#[tokio::test]
async fn a_program_that_fails_is_an_error_that_says_how() {
    let noise = "i=0; while [ $i -lt 20000 ]; do echo \"noise $i\" >&2; i=$((i + 1)); done; exit 5";
    for (script, target, expected) in [
        (
            "echo broken >&2; exit 3",
            "",
            "the agent ended with exit code 3 before it responded\nits stderr ends:\n  broken",
        ),
        (
            "listen; start; echo oops >&2; exit 1",
            "",
            "the agent ended with exit code 1 before its response was complete, after 1 event\nits stderr ends:\n  oops",
        ),
        (
            "listen; start; say hi; kill -9 $$",
            "",
            "the agent was ended by signal 9 (SIGKILL) before its response was complete, after 2 events",
        ),
        (
            "exec >&-; exec /bin/sleep 60",
            "",
            "the agent closed its stdout before it responded",
        ),
        (
            noise,
            "",
            "the agent ended with exit code 5 before it responded\nits stderr ends:\n  noise 19990\n",
        ),
        (
            "listen; start; printf '{\"type\":\"TEXT'; exit 0",
            "",
            "line 2 of the response is not valid JSON (",
        ),
        (
            "echo 'Loading the model'; listen",
            "",
            "line 1 of the response is not valid JSON (expected value",
        ),
        (
            "listen; echo '[1]'",
            "",
            "line 1 of the response is not a JSON object (`[1]`)",
        ),
        (
            "listen; start; say 01234567890123456789012345678901234567890123456789",
            "max_event_bytes: 100",
            "the agent printed a line that is larger than 100 bytes",
        ),
        (
            "listen; start; while :; do say again; done",
            "max_response_bytes: 1000",
            "the response is larger than 1000 bytes",
        ),
    ] {
        let project = project(script, target, ONE_TURN);
        let outcome = outcome(&project).await;
        let (_, problem) = outcome
            .first_problem()
            .unwrap_or_else(|| panic!("{script}: {}", shown(&outcome)));
        assert_eq!(
            (outcome.status(), problem.kind),
            (Status::Error, ErrorKind::Protocol),
            "{script}"
        );
        assert!(
            problem.message.starts_with(expected),
            "{script}: {}",
            problem.message
        );
        assert!(
            problem.message.len() < 5000,
            "{script}: {} bytes",
            problem.message.len()
        );
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_an_error_that_says_what_to_do() {
    let config = "version: \"1.3\"\ntarget: { type: command, cmd: [./not-there] }\n";
    let test = format!("version: \"1.3\"\nname: a\n{ONE_TURN}");
    let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", &test)]);
    let outcome = outcome(&project).await;
    let (_, problem) = outcome.first_problem().expect("a problem");
    assert_eq!(
        problem.message,
        "the agent [\"./not-there\"] cannot be started: there is no `./not-there` in `.`"
    );
    assert!(problem.help.is_some());
}

#[tokio::test]
async fn a_program_that_does_not_respond_times_out() {
    let large = format!("turns: [{{ user: {} }}]\n", "x".repeat(200_000));
    for (script, test) in [
        (
            "listen; start; printf '{\"type'; exec /bin/sleep 60",
            ONE_TURN,
        ),
        ("exec /bin/sleep 60", &large),
        ("exec <&-; exec /bin/sleep 60", &large),
    ] {
        let project = project(script, "timeout_ms: 300", test);
        let outcome = outcome(&project).await;
        assert_eq!(
            outcome.status(),
            Status::Timeout,
            "{script}: {}",
            shown(&outcome)
        );
    }
}

#[tokio::test]
async fn what_a_program_does_after_its_last_response_is_a_warning() {
    let hang = "trap '' TERM; exec /bin/sleep 60";
    for (end, expected) in [
        (
            "read rest; say late",
            "the agent printed a line after its last response was complete, which no rule sees: `{\"type\"",
        ),
        (
            "exit 3",
            "the agent ended with exit code 3 after its last response was complete",
        ),
        (
            "kill -9 $$",
            "the agent was ended by signal 9 (SIGKILL) after its last response was complete",
        ),
        (
            hang,
            "the agent did not end within 5 s after its stdin was closed: it was killed",
        ),
    ] {
        let project = project(
            &format!("listen; start; say hi; finish; {end}"),
            "",
            ONE_TURN,
        );
        let outcome = outcome(&project).await;
        assert_eq!(outcome.status(), Status::Passed, "{}", shown(&outcome));
        let warnings = &outcome.verdict.warnings;
        assert!(
            warnings.len() == 1 && warnings[0].starts_with(expected),
            "{warnings:?}"
        );
    }
}

#[tokio::test]
async fn nothing_that_a_program_started_is_left() {
    for script in [
        "listen; start; finish",
        "listen; start; finish; while listen; do :; done",
        "listen; exit 1",
    ] {
        let project = project(
            &format!("/bin/sleep 60 & echo $! > child; {script}"),
            "",
            ONE_TURN,
        );
        project.run().await;
        let child = std::fs::read_to_string(project.folder().join("child")).expect("it ran");
        // It is killed already, and needs a moment to end.
        let is_there = || {
            let state =
                std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z")
        };
        for _ in 0..200 {
            if is_there() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        assert!(!is_there(), "{script}: {child}");
    }
}

#[test]
fn the_agent_in_the_document_is_the_one_that_runs() {
    let read = |path: &str| {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(root.join(path)).expect("it is committed")
    };
    let agent = read("specs/programs/agent.py");
    let (_comment, code) = agent.split_once('\n').expect("it begins with a comment");
    assert!(
        read("docs/command.md").contains(&format!("```python\n{code}```\n")),
        "{code}"
    );
}

//! `ananke record`: conversations that become tests, which replay at once.

use std::collections::VecDeque;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use ananke::LabError;
use ananke::agents::Transport;
use ananke::message::{AnswerTo, PendingAnswer, TurnInput, UserContent};
use ananke::model::NEWEST_VERSION;
use ananke::outcome::{Status, TurnOutcome};
use ananke::plan::Selection;
use ananke::record::{HeldConversation, RecordRequest, RecordedFile, hold, record};
use ananke::recording::RecordingMode;
use ananke::redact::Redactor;
use ananke::run::{
    ConversationDriver, ConversationOrigin, DriverRequest, Options, Run, event_channel,
};
use ananke::trace::Trace;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::freezing::{assert_is_frozen_again, finished, run_of, says};
use crate::judges::{Paths, model_stream};
use crate::replay::{Nowhere, outcomes, recordings};
use crate::support::project::Project;

const CONFIG: &str = r#"version: "1.3"
target:
  type: agui
  endpoint: "http://127.0.0.1:1/shop"
  agentId: shop
  client_tools: [{ name: read_scale, mock: { result: { grams: 412 } } }]
vars: { CODE: c0de-of-the-door }
redact: [CODE]
"#;

/// Says what it is given, one input after the other.
struct Inputs(Mutex<VecDeque<TurnInput>>);

impl ConversationDriver for Inputs {
    fn instructions(&self) -> Option<&'static str> {
        None
    }

    fn begins(&self, _: &str, _: Vec<String>, _: &Redactor) {}

    fn next(&self) -> BoxFuture<'_, Option<DriverRequest>> {
        let next = self.0.lock().unwrap().pop_front();
        Box::pin(std::future::ready(next.map(Into::into)))
    }

    fn ended(&self, _: &Trace, _: &TurnOutcome) {}
}

fn user(text: &str) -> TurnInput {
    TurnInput::User(UserContent::Text(text.into()))
}

fn request(project: &Project) -> RecordRequest {
    let folder = project.folder().join("kept");
    let file = project.folder().join("shop.test.yaml");
    RecordRequest {
        selection: Selection::default(),
        file,
        folder,
        origin: "Recorded with `ananke record`",
    }
}

async fn held(project: &Project, bodies: Vec<String>, inputs: Vec<TurnInput>) -> HeldConversation {
    let (plan, context) = request(project)
        .blank_test(&project.context(), "shop", &[])
        .expect("a plan");
    let transport: Arc<dyn Transport> = Paths::sending(&[("/shop", bodies)]);
    let (sender, events) = event_channel(1);
    let mut shared = Run::new(
        context,
        transport,
        plan.redactor.clone(),
        Options::default(),
        sender,
    );
    shared.conversations = ConversationOrigin::Driver(Arc::new(Inputs(Mutex::new(inputs.into()))));
    Box::pin(hold(shared, events, plan))
        .await
        .expect("a conversation")
}

async fn recorded(project: &Project, held: HeldConversation) -> Result<RecordedFile, LabError> {
    record(
        &project.context(),
        &request(project),
        vec![("shop".to_owned(), held)],
    )
    .await
}

fn call(id: &str, name: &str, args: &Value) -> Vec<Value> {
    vec![
        json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args.to_string()}),
        json!({"type": "TOOL_CALL_END", "toolCallId": id}),
    ]
}

fn result(id: &str, text: &str) -> Vec<Value> {
    vec![json!({"type": "TOOL_CALL_RESULT", "toolCallId": id, "messageId": id, "content": text})]
}

fn interrupted(interrupts: &Value) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r",
           "outcome": {"type": "interrupt", "interrupts": interrupts}})
}

#[tokio::test]
async fn a_conversation_becomes_a_test_that_replays_at_once() {
    let project = Project::new(&[("ananke.config.yaml", CONFIG)]);
    let id = "8f14e45f-ceea-4e7d-9b3c-1a2b3c4d5e6f";
    let found = call(
        "f",
        "find_order",
        &json!({"order": "O-7", "code": "c0de-of-the-door"}),
    );
    let refunded = call(
        "p",
        "refund",
        &json!({"order": "O-7", "payment": {"id": id, "cents": 995}, "at": "2026-12-24"}),
    );
    let asked =
        interrupted(&json!([{"id": "i-1", "reason": "input_required", "message": "Really?"}]));
    let bodies = vec![
        run_of(call("s", "read_scale", &json!({})), finished()),
        run_of(
            says("m1", "It weighs 412 g.\n- user: not a turn"),
            finished(),
        ),
        run_of(
            [
                found,
                result("f", "found"),
                refunded,
                says("m2", "Shall I?"),
            ]
            .concat(),
            asked,
        ),
        run_of(says("m3", "Done"), finished()),
    ];
    let answer = PendingAnswer {
        to: AnswerTo::TheOnlyOne,
        is_resolved: true,
        payload: Some(json!({"ok": true})),
    };
    let inputs = vec![
        user("Weigh it, ${now}"),
        user("Refund O-7, the code is c0de-of-the-door"),
        TurnInput::Resume(vec![answer]),
    ];
    let held = held(&project, bodies, inputs).await;
    assert!(held.problem.is_none(), "{held:#?}");
    assert!(!format!("{held:?}").contains("c0de-of"), "{held:#?}");
    let file = recorded(&project, held).await.expect("a test");
    let test = &file.tests[0];
    assert_eq!(
        (test.turns, &test.failure, test.notes.len()),
        (3, &None, 0),
        "{}",
        file.text
    );
    let expected = r#"# Recorded with `ananke record`. The rules are proposals: keep those that matter.
version: "NEWEST"
name: shop
turns:
  - user: "Weigh it, $${now}"
    assert:
      tools:
        require:
          - name: read_scale
    # agent: It weighs 412 g.
    #   - user: not a turn
  - user: "Refund O-7, the code is ${CODE}"
    assert:
      tools:
        require:
          - name: find_order
            args:
              order: O-7
              code: "${CODE}"
          - name: refund
            args:
              order: O-7
              payment:
                cents: 995
            args_match:
              payment.id: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
              at: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
      sequence:
        mode: in_order
        steps:
          - call: find_order
          - call: refund
      outcome: interrupted
    # agent: Shall I?
  - type: resume
    resume:
      - status: resolved
        payload:
          ok: true
    assert:
      tools:
        allow_only: []
    # agent: Done
"#;
    let expected = expected.replace("NEWEST", NEWEST_VERSION);
    assert_eq!(file.text, expected);

    file.write().expect("a folder");
    let kept = recordings(&project.folder().join("kept"), RecordingMode::Replay);
    let replayed = outcomes(&project, Arc::new(Nowhere), &kept).await.remove(0);
    assert_eq!(replayed.status(), Status::Passed, "{replayed:#?}");
    assert_is_frozen_again(&project, &file).await;
    assert!(
        !test.recording.contains("c0de-of") && test.recording.contains("<secret:CODE>"),
        "{}",
        test.recording
    );
}

#[tokio::test]
async fn a_turn_that_does_not_end_is_not_in_the_test() {
    let project = Project::new(&[("ananke.config.yaml", CONFIG)]);
    let bodies = vec![run_of(says("m1", "Hello"), finished())];
    let held = held(&project, bodies, vec![user("Hi"), user("Are you there?")]).await;
    let problem = held.problem.clone().expect("nothing listens");
    assert!(
        problem.message.contains("nothing listens there"),
        "{problem:?}"
    );
    let file = recorded(&project, held).await.expect("a test");
    assert_eq!(
        (file.tests[0].turns, &file.tests[0].failure),
        (1, &None),
        "{}",
        file.text
    );
    assert!(
        !file.text.contains("Are you there?")
            && !file.tests[0].recording.contains("Are you there?")
    );
}

#[tokio::test]
async fn calls_at_once_have_no_order_and_the_same_calls_are_counted() {
    let project = Project::new(&[("ananke.config.yaml", CONFIG)]);
    let find = |id: &str| call(id, "find", &json!({"order": "O-7"}));
    let parts = [
        find("a"),
        find("b"),
        result("a", "1"),
        result("b", "2"),
        says("m", "Twice"),
    ]
    .concat();
    let file = recorded(
        &project,
        held(
            &project,
            vec![run_of(parts, finished())],
            vec![user("Find O-7")],
        )
        .await,
    )
    .await
    .expect("a test");
    assert_eq!(file.tests[0].failure, None, "{}", file.text);
    assert!(
        file.text.contains("min: 2") && !file.text.contains("sequence"),
        "{}",
        file.text
    );
}

#[tokio::test]
async fn a_conversation_without_a_turn_is_no_test() {
    let project = Project::new(&[("ananke.config.yaml", CONFIG)]);
    let silent = recorded(&project, held(&project, Vec::new(), Vec::new()).await).await;
    assert!(
        matches!(&silent, Err(LabError::Refused { message, .. }) if message == "nothing was said"),
        "{silent:?}"
    );
    let unreachable = recorded(&project, held(&project, Vec::new(), vec![user("Hi")]).await).await;
    assert!(
        matches!(&unreachable, Err(LabError::Refused { message, .. }) if message.contains("nothing listens")),
        "{unreachable:?}"
    );
}

#[test]
fn an_agent_without_words_of_a_user_is_refused() {
    let config = "version: \"1.3\"\ntarget: { type: mcp, transport: stdio, command: [\"true\"] }\n";
    let project = Project::new(&[("ananke.config.yaml", config)]);
    let refused = request(&project)
        .blank_test(&project.context(), "shop", &[])
        .map(|_| ());
    assert!(
        matches!(&refused, Err(LabError::Refused { message, .. }) if message.contains("takes no words of a user")),
        "{refused:?}"
    );
}

/// The config of a scripted agent that says hello, and calls a tool for what begins with `Find`.
const SCRIPTED: &str = r#"version: "1.3"
target:
  type: scripted
  agentId: shop
  rules:
    - when: { user: "^Find" }
      do: [{ call: { tool: find, args: { order: O-7 }, result: { state: open } } }, { say: "It is open." }]
    - do: [{ say: "Hello" }]
"#;

/// Runs `ananke record` with these lines as its standard input.
fn command(project: &Project, arguments: &[&str], lines: &[u8]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .arg("record")
        .args(arguments)
        .current_dir(project.folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    // A program that refuses its arguments reads nothing.
    let _is_refused = child.stdin.take().expect("a pipe").write_all(lines);
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().expect("an end");
    (
        status.code(),
        [
            String::from_utf8(stdout).unwrap(),
            String::from_utf8(stderr).unwrap(),
        ]
        .concat(),
    )
}

#[test]
fn lines_of_standard_input_are_messages() {
    let project = Project::new(&[("ananke.config.yaml", SCRIPTED)]);
    let (code, printed) = command(
        &project,
        &["-o", "find-it.test.yaml"],
        b"Hi\r\n\n  Find O-7\n/end\nnot said\n",
    );
    let expected = "user:   Hi\nagent:  Hello\nuser:   Find O-7\ncalls:  find {\"order\":\"O-7\"}\n\
                    result: find {\"state\":\"open\"}\nagent:  It is open.\n\
                    wrote find-it.test.yaml: 2 turns\nwrote recordings/find-it/find-it-";
    assert_eq!(code, Some(0), "{printed}");
    assert!(
        printed.starts_with(expected) && printed.ends_with("replayed it: passed\n"),
        "{printed}"
    );
    let text = fs::read_to_string(project.folder().join("find-it.test.yaml")).unwrap();
    assert!(
        text.contains("name: find it\n") && text.contains("order: O-7"),
        "{text}"
    );

    let (code, printed) = command(&project, &["-o", "find-it.test.yaml"], b"Hi\n");
    assert_eq!(code, Some(1));
    assert!(
        printed.starts_with("error: `find-it.test.yaml` exists already"),
        "{printed}"
    );
    assert_eq!(
        fs::read_to_string(project.folder().join("find-it.test.yaml")).unwrap(),
        text
    );
    let (code, printed) = command(&project, &["-o", "find-it.test.yaml", "--force"], b"Hi\n");
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("1 turn\n"), "{printed}");
}

#[test]
fn a_test_names_the_target_of_the_agent_that_was_chosen() {
    let project = Project::new(&[("ananke.config.yaml", SCRIPTED)]);
    let arguments = ["-n", "shop", "--var", "CITY=Rome", "-o", "a.test.yaml"];
    let (code, printed) = command(&project, &arguments, b"Hi\n");
    assert_eq!(code, Some(0), "{printed}");
    let text = fs::read_to_string(project.folder().join("a.test.yaml")).unwrap();
    let head = "name: a\ntarget: default\nvars:\n  CITY: Rome\nturns:\n";
    assert!(text.contains(head), "{text}");
}

#[test]
fn what_cannot_be_said_ends_the_conversation_with_what_was_said() {
    let project = Project::new(&[("ananke.config.yaml", SCRIPTED)]);
    let (code, printed) = command(&project, &[], b"Hi\n\xff\xfe\n");
    assert_eq!(code, Some(1), "{printed}");
    assert!(
        printed.contains("error: the next line is not UTF-8: the conversation ends here"),
        "{printed}"
    );
    assert!(
        printed.contains("wrote recorded.test.yaml: 1 turn\n"),
        "{printed}"
    );
    let (code, printed) = command(&project, &["-o", "silent.test.yaml"], b"\n");
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.starts_with("error: nothing was said"), "{printed}");
    assert!(!project.folder().join("silent.test.yaml").exists());
}

#[test]
fn a_test_that_violates_rules_of_the_target_is_written_and_fails() {
    let config = SCRIPTED.replace(
        "  agentId: shop\n",
        "  agentId: shop\n  assert: { tools: { forbid: [find] } }\n",
    );
    let project = Project::new(&[("ananke.config.yaml", &config)]);
    let (code, printed) = command(&project, &[], b"Find O-7\n");
    assert_eq!(code, Some(1), "{printed}");
    assert!(
        printed.contains("error: the test `recorded` does not pass: ")
            && printed.contains("`find`"),
        "{printed}"
    );
    assert!(project.folder().join("recorded.test.yaml").is_file());
}

#[test]
fn variables_of_the_command_line_are_in_the_test_and_secrets_are_in_no_file() {
    let config = SCRIPTED.replace("say: \"Hello\"", "say: \"Hello from ${CITY}\"")
        + "redact: [PIN, { match: \"tok-[0-9]+\" }]\n";
    let project = Project::new(&[("ananke.config.yaml", &config)]);
    let arguments = ["--var", "CITY=Rome", "--var", "PIN=s3cr3t-pin"];
    let (code, printed) = command(
        &project,
        &arguments,
        b"Hi\nMy token is tok-123456\nand my pin s3cr3t-pin\n",
    );
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("agent:  Hello from Rome\n"), "{printed}");
    assert!(
        printed.contains("note: turn 2 has a marker instead of a secret that no variable has"),
        "{printed}"
    );
    let text = fs::read_to_string(project.folder().join("recorded.test.yaml")).unwrap();
    assert!(
        text.contains("vars:\n  CITY: Rome\n") && text.contains("my pin ${PIN}"),
        "{text}"
    );
    let recording =
        fs::read_to_string(project.folder().join("recordings/recorded/recorded.jsonl")).unwrap();
    for secret in ["tok-123456", "s3cr3t-pin"] {
        for place in [&printed, &text, &recording] {
            assert!(!place.contains(secret), "{secret} is in\n{place}");
        }
    }
}

#[tokio::test]
async fn a_model_gets_no_instructions_that_its_test_does_not_have() {
    let config = "version: \"1.3\"\ntarget: { type: openai, endpoint: \"http://127.0.0.1:1/shop\", model: m }\n";
    let project = Project::new(&[("ananke.config.yaml", config)]);
    let (plan, context) = request(&project)
        .blank_test(&project.context(), "shop", &[])
        .expect("a plan");
    let paths = Paths::sending(&[(
        "/shop/chat/completions",
        vec![model_stream("Hello"), model_stream("Bye")],
    )]);
    let transport: Arc<dyn Transport> = paths;
    let (sender, events) = event_channel(1);
    let mut shared = Run::new(
        context,
        transport,
        plan.redactor.clone(),
        Options::default(),
        sender,
    );
    shared.conversations = ConversationOrigin::Driver(Arc::new(Inputs(Mutex::new(
        vec![user("Hi"), user("Go")].into(),
    ))));
    let held = hold(shared, events, plan).await.expect("a conversation");
    let file = recorded(&project, held).await.expect("a test");
    assert_eq!(
        (file.tests[0].turns, &file.tests[0].failure),
        (2, &None),
        "{}",
        file.text
    );
    assert!(
        !file.tests[0].recording.contains("helpful assistant"),
        "{}",
        file.tests[0].recording
    );
    assert!(file.text.contains("# agent: Bye"), "{}", file.text);
}

//! Frozen conversations: they send the same without a simulator, and replay with the same verdict.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use ananke::LabError;
use ananke::agents::Transport;
use ananke::context::{CaseKey, Context};
use ananke::freeze::{FreezeRequest, FrozenTest, freeze};
use ananke::outcome::{Outcome, Status};
use ananke::plan::Selection;
use ananke::project::Variables;
use ananke::record::RecordedFile;
use ananke::recording::{KeptRecording, RecordingMode, recording_path};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::judges::{Paths, agent_stream, events};
use crate::replay::{Nowhere, outcomes, recordings, selected_outcomes};
use crate::shrinking::recording_files;
use crate::support::project::Project;

const CONFIG: &str = r#"version: "1.3"
target:
  type: agui
  endpoint: "http://127.0.0.1:1/shop"
  agentId: shop
  client_tools: [{ name: read_scale, mock: { result: { grams: 412 } } }]
  assert: { timing: { max_idle_ms: 10000 } }
targets:
  customer: { type: agui, endpoint: "http://127.0.0.1:1/customer", agentId: customer }
  strict: { type: agui, endpoint: "http://127.0.0.1:1/strict", agentId: strict }
redact: [CODE]
"#;

/// Everything that a frozen test has to keep: a row, a hook with a secret, a client-side tool, an interrupt, a judge, a
/// script and checkpoints.
const TEST: &str = r#"version: "1.3"
name: a customer closes an account
cases: [{ id: berlin, city: Berlin }, { id: rome, city: Rome }]
hooks: [{ cmd: [echo, '{"CODE": "c0de-of-a-hook"}'] }]
turns:
  - user: "Weigh it in ${city}, ${CODE}"
    id: weigh
    capture: { GRAMS: { text: "(\\d+) g" } }
    assert: { text: { contains: "g" }, script: [{ cmd: [echo, "true"] }] }
simulate:
  agent: customer
  checkpoints:
    - { id: weighed, assert: { text: { contains: "412" }, tools: { require: [read_scale] } } }
    - { id: asked, assert: { outcome: interrupted, judge: [{ agent: strict, criteria: it asks }] } }
    - { id: closed, after: [asked], assert: { text: { contains: "RULE" } } }
assert:
  tools: { forbid: [delete] }
"#;

pub(crate) fn run_of(parts: Vec<Value>, end: Value) -> String {
    let begin = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"});
    events([vec![begin], parts, vec![end]].concat())
}

pub(crate) fn says(id: &str, text: &str) -> Vec<Value> {
    vec![
        json!({"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": id}),
    ]
}

pub(crate) fn finished() -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"})
}

/// An agent that weighs, asks, and closes; a customer who wants that; and a judge who agrees.
fn transport() -> Arc<Paths> {
    let call = vec![
        json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "read_scale"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": "c"}),
    ];
    let interrupt = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {
        "type": "interrupt", "interrupts": [{"id": "i-1", "reason": "input_required", "message": "Really?"}]}});
    let shop = vec![
        run_of(call, finished()),
        run_of(says("m1", "That is 412 g."), finished()),
        run_of(says("m2", "Shall I close it?"), interrupt),
        run_of(says("m3", "It is closed."), finished()),
    ];
    let customer = ["Close my account, ${now}: c0de-of-a-hook", "Yes, close it"]
        .map(agent_stream)
        .to_vec();
    let strict = vec![agent_stream(r#"{"passed": true}"#)];
    Paths::sending(&[
        ("/shop", shop),
        ("/customer", customer),
        ("/strict", strict),
    ])
}

/// The recorded outcome of the test with `rule` as the text that its last answer must contain, and its project.
async fn recorded(rule: &str) -> (Project, Outcome) {
    let test = TEST.replace("RULE", rule);
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("specs/close.test.yaml", &test),
    ]);
    let kept = recordings(&project.folder().join("kept"), RecordingMode::Record);
    let transport: Arc<dyn Transport> = transport();
    let outcome = outcomes(&project, transport, &kept).await.remove(0);
    (project, outcome)
}

const ID: &str = "specs/close.test.yaml::a customer closes an account[berlin]";

async fn frozen(project: &Project, id: &str) -> Result<FrozenTest, LabError> {
    let folder = project.folder().join("kept");
    let path = recording_path(&folder, &CaseKey::first(id));
    let recording = KeptRecording::open(&path, "kept/one.jsonl").expect("a recording");
    assert_eq!(recording.folder(&path).as_deref(), Some(&*folder));
    let request = FreezeRequest {
        recording: Arc::new(recording),
        selection: Selection::default(),
        output: None,
        folder,
    };
    freeze(&project.context(), &request).await
}

/// Freezes the one test of `file`, which is written: it gives the same test again, but for its first line.
pub(crate) async fn assert_is_frozen_again(project: &Project, file: &RecordedFile) {
    let recording = KeptRecording::open(&file.tests[0].recording_file, "one").expect("a recording");
    let request = FreezeRequest {
        recording: Arc::new(recording),
        selection: Selection::default(),
        output: None,
        folder: project.folder().join("again"),
    };
    let frozen = freeze(&project.context(), &request).await;
    let frozen = frozen.expect("a frozen test");
    let [own, other] = [&file.text, &frozen.text].map(|text| text.split_once('\n').unwrap().1);
    assert_eq!(own, other);
}

/// Why a conversation is not frozen.
fn refusal(result: Result<FrozenTest, LabError>) -> String {
    match result {
        Err(LabError::Refused { message, .. }) => message,
        other => panic!("{other:#?}"),
    }
}

fn id_of(outcome: &Outcome) -> String {
    outcome.test.id.clone()
}

#[tokio::test]
async fn a_simulated_conversation_is_the_same_without_its_simulator() {
    let (project, live) = recorded("closed").await;
    assert_eq!(
        (live.status(), id_of(&live).as_str()),
        (Status::Passed, ID),
        "{live:#?}"
    );
    let frozen = frozen(&project, ID).await.expect("a frozen test");
    assert_eq!(
        (frozen.turns, frozen.said_by_others, frozen.status),
        (3, 2, Status::Passed)
    );
    assert!(frozen.notes.is_empty(), "{:?}", frozen.notes);
    for gone in [
        "simulate",
        "checkpoints",
        "cases",
        "${now}: c0de",
        "<secret",
    ] {
        assert!(!frozen.text.contains(gone), "{gone} is in\n{}", frozen.text);
    }
    assert!(
        frozen.text.contains("Close my account, $${now}: ${CODE}"),
        "{}",
        frozen.text
    );
    assert!(
        frozen.text.contains("${city}") && frozen.text.contains("city: Berlin"),
        "{}",
        frozen.text
    );
    assert!(
        !frozen.recording.contains("simulator") && frozen.recording.contains("judge.1"),
        "{}",
        frozen.recording
    );

    frozen.write().expect("a folder");
    fs::remove_file(project.folder().join("specs/close.test.yaml")).unwrap();
    let kept = recordings(&project.folder().join("kept"), RecordingMode::Replay);
    let replayed = outcomes(&project, Arc::new(Nowhere), &kept).await.remove(0);
    assert_eq!(replayed.status(), Status::Passed, "{replayed:#?}");
    assert_eq!(replayed.test.id, frozen.id);
    let turns = |outcome: &Outcome| {
        let turns = outcome.transcript.turns.iter();
        turns
            .map(|turn| (turn.input.clone(), turn.lines.clone(), turn.duration_us))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        turns(&replayed),
        turns(&live),
        "the same words at the same moments"
    );
    let rules = |outcome: &Outcome, turn: usize| {
        outcome.transcript.turns[turn]
            .passed_rules()
            .map(|held| held.rule.to_string())
            .collect::<Vec<_>>()
    };
    assert!(
        rules(&replayed, 0).contains(&"script".to_owned()),
        "{:?}",
        rules(&replayed, 0)
    );
    assert!(
        rules(&replayed, 1).contains(&"judge".to_owned()),
        "{:?}",
        rules(&replayed, 1)
    );
}

#[tokio::test]
async fn a_failing_conversation_fails_with_the_same_rule() {
    let (project, live) = recorded("closed").await;
    assert_eq!(live.status(), Status::Passed);
    let path = project.folder().join("specs/close.test.yaml");
    let stricter = fs::read_to_string(&path)
        .unwrap()
        .replace("forbid: [delete]", "forbid: [read_scale]");
    fs::write(&path, stricter).unwrap();
    let frozen = frozen(&project, ID).await.expect("a frozen test");
    assert_eq!(
        frozen.status,
        Status::Failed,
        "the rules are those of the file"
    );
}

#[tokio::test]
async fn what_the_command_line_said_is_in_the_test() {
    let says = |text: &str| {
        format!("{{ type: scripted, agentId: a, rules: [{{ do: [{{ say: \"{text}\" }}] }}] }}")
    };
    let config = format!(
        "version: \"1.3\"\ntarget: {}\ntargets: {{ other: {} }}\nredact: [PIN]\n",
        says("no"),
        says("yes ${CITY}")
    );
    let test = "version: \"1.3\"\nname: a\nturns: [{ user: \"${CITY} ${PIN}\" }]\nassert: { text: { contains: Rome } }\n";
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", test)]);
    let given = [("CITY", "Rome"), ("PIN", "s3cr3t-pin")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let variables = Variables {
        given: given.into(),
        ..Variables::default()
    };
    let selection = Selection {
        target: Some("other".to_owned()).into(),
        variables,
        ..Selection::default()
    };
    let folder = project.folder().join("kept");
    let kept = recordings(&folder, RecordingMode::Record);
    let live = selected_outcomes(&project, &selection, &kept)
        .await
        .remove(0);
    assert_eq!(live.status(), Status::Passed, "{live:#?}");
    let path = recording_path(&folder, &CaseKey::first("a.test.yaml::a"));
    let recording = Arc::new(KeptRecording::open(&path, "one").unwrap());
    let request = FreezeRequest {
        recording,
        selection,
        output: None,
        folder,
    };
    let frozen = freeze(&project.context(), &request)
        .await
        .expect("a frozen test");
    assert!(
        frozen.text.contains("target: other\n") && frozen.text.contains("CITY: Rome\n"),
        "{}",
        frozen.text
    );
    assert!(
        !frozen.text.contains("s3cr3t") && !frozen.recording.contains("s3cr3t"),
        "{}",
        frozen.text
    );
}

#[tokio::test]
async fn what_only_a_simulator_can_say_is_refused() {
    let (project, live) = recorded("never said").await;
    assert_ne!(live.status(), Status::Passed);
    let why = refusal(frozen(&project, ID).await);
    assert!(why.starts_with("the conversation ended with `"), "{why}");
    assert_eq!(
        fs::read_dir(project.folder().join("specs"))
            .unwrap()
            .count(),
        1,
        "nothing was written"
    );
}

#[tokio::test]
async fn a_test_that_changed_or_is_gone_is_refused() {
    let (project, _) = recorded("closed").await;
    let path: PathBuf = project.folder().join("specs/close.test.yaml");
    let written = fs::read_to_string(&path).unwrap();
    fs::write(&path, written.replace("Weigh it", "Weigh that")).unwrap();
    let why = refusal(frozen(&project, ID).await);
    assert!(
        why.contains("is of another request in turn 1") && why.contains("Weigh that"),
        "{why}"
    );
    fs::write(&path, written.replace("id: berlin", "id: hamburg")).unwrap();
    let gone = frozen(&project, ID).await.unwrap_err();
    assert!(
        matches!(gone, LabError::Broken(..) | LabError::Refused { .. }),
        "{gone:?}"
    );
}

/// The number of recordings of one folder that are frozen.
const MOST_OF_FOLDER: usize = 8;

#[tokio::test]
async fn every_example_can_be_frozen() {
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/shop");
    let kept = TempDir::new().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["run", "--runs", "1", "--record"])
        .arg(kept.path())
        .current_dir(&shop)
        .output()
        .expect("the program can be started");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let project = Project::new(&[]);
    let context = Context {
        working_directory: shop,
        ..project.context()
    };
    let (mut frozen, mut refused) = (0, Vec::new());
    // The walks of a test are frozen alike.
    let files = recording_files(kept.path());
    let groups = files.chunk_by(|one, other| one.parent() == other.parent());
    for file in groups.flat_map(|group| group.iter().take(MOST_OF_FOLDER)) {
        let recording = Arc::new(KeptRecording::open(file, "one").expect("a recording"));
        let folder = kept.path().to_path_buf();
        let request = FreezeRequest {
            recording,
            selection: Selection::default(),
            output: None,
            folder,
        };
        match freeze(&context, &request).await {
            Ok(test) => frozen += usize::from(test.status == Status::Passed && test.turns > 0),
            Err(LabError::Refused { message, .. }) => refused.push(message),
            Err(broken) => panic!("{}: {broken:?}", file.display()),
        }
    }
    let is_known = |why: &String| {
        why.contains("is a case file") || why.contains("snapshot") || why.contains("is secret")
    };
    assert!(refused.iter().all(is_known), "{refused:#?}");
    assert!(frozen >= 40, "{frozen}");
}

//! Shrunk recordings: what is written needs no agent, and fails with the same rule.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ananke::LabError;
use ananke::agents::Transport;
use ananke::outcome::{Outcome, Status};
use ananke::plan::{Selection, plan};
use ananke::recording::{KeptRecording, RecordingMode};
use ananke::redact::Redactor;
use ananke::shrink::{ShrinkRequest, ShrunkTest, shrink};
use serde_json::{Value, json};

use crate::judges::{Paths, agent_stream, events};
use crate::replay::{Nowhere, outcomes, recordings};
use crate::support::canned::Canned;
use crate::support::project::Project;
use crate::wire::captures::body;

/// The recordings below a directory, by name.
pub(crate) fn recording_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(recording_files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

async fn shrunk(
    project: &Project,
    recording: &Path,
    most_tries: usize,
) -> Result<ShrunkTest, LabError> {
    let request = ShrinkRequest {
        recording: Arc::new(KeptRecording::open(recording, "one.jsonl").expect("a recording")),
        selection: Selection::default(),
        folder: project
            .folder()
            .join("shrunk")
            .join(recording.file_stem().unwrap()),
        most_tries,
    };
    shrink(&project.context(), &request, &mut |_| {}).await
}

/// What comes of a shrunk test that was written.
async fn run_again(project: &Project, shrunk: &ShrunkTest) -> Outcome {
    shrunk.write().expect("a folder");
    let [config, test] = shrunk.paths().map(Path::to_path_buf);
    let selection = Selection {
        config: Some(config),
        paths: vec![test],
        ..Selection::default()
    };
    let planned = plan(&project.context(), &selection, &Redactor::default());
    let problems: Vec<String> = planned.problems.iter().map(ToString::to_string).collect();
    let plan = planned.plan.unwrap_or_else(|| panic!("{problems:?}"));
    project.run_plan(plan).await.remove(0)
}

/// Records every test of a project with `transport`; the outcomes, by the names of the recordings.
async fn recorded(
    project: &Project,
    transport: Arc<dyn Transport>,
) -> (Vec<Outcome>, Vec<PathBuf>) {
    let folder = project.folder().join("kept");
    let found = outcomes(
        project,
        transport,
        &recordings(&folder, RecordingMode::Record),
    )
    .await;
    (found, recording_files(&folder))
}

#[tokio::test]
async fn every_kind_of_failure_is_the_same_rule_again() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/failing");
    let names = fs::read_dir(source)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let texts: BTreeMap<String, String> = names
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "yaml")
        })
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                fs::read_to_string(path).unwrap(),
            )
        })
        .collect();
    let listed: Vec<(&str, &str)> = texts
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let project = Project::new(&listed);
    let (outcomes, files) = recorded(&project, Arc::new(Nowhere)).await;
    let mut rules = BTreeMap::new();
    for file in files {
        let key = KeptRecording::open(&file, "one").unwrap().key().clone();
        let outcome = outcomes
            .iter()
            .find(|outcome| outcome.test.id == key.test)
            .expect("it ran");
        match shrunk(&project, &file, 1000).await {
            Ok(shrunk) => {
                let again = run_again(&project, &shrunk).await;
                assert_eq!(again.status(), Status::Failed, "{}", key.test);
                let first = again
                    .all_failures()
                    .next()
                    .map(|(_, failure)| failure.rule.clone());
                let recorded = outcome
                    .all_failures()
                    .next()
                    .map(|(_, failure)| failure.rule.clone());
                assert_eq!(first, recorded, "{}: {:?}", key.test, shrunk.files);
                assert_eq!(
                    again.all_failures().count(),
                    1,
                    "{}: nothing else fails",
                    key.test
                );
                assert!(
                    shrunk.left.1 <= shrunk.recorded.1 && shrunk.is_smallest,
                    "{shrunk:?}"
                );
                *rules.entry(recorded).or_insert(0) += 1;
            }
            Err(LabError::Refused { message, .. }) => {
                let is_asking = ["`script`", "`snapshot`", "no rule failed"]
                    .iter()
                    .any(|why| message.contains(why));
                assert!(is_asking, "{}: {message}", key.test);
            }
            Err(broken) => panic!("{broken:?}"),
        }
    }
    assert!(rules.len() >= 15, "{rules:?}");
}

const CONFIG: &str = r#"version: "1.3"
target: shop
targets:
  base:
    type: agui
    endpoint: "http://127.0.0.1:1/shop"
    agentId: shop
    headers: { x-key: "${ENV.SHOP_KEY:-secret-key}" }
    assert: { extends: [safe], tools: { forbid: [drop_table] } }
  shop: { extends: base, assert: { text: { must_not_match: ["(?i)stack trace"] } } }
  customer: { type: agui, endpoint: "http://127.0.0.1:1/customer", agentId: customer }
assertions: { safe: { tools: { max_calls: 9 } } }
"#;

const TEST: &str = r#"version: "1.3"
name: the customer is not charged twice
simulate:
  agent: customer
  checkpoints:
    - { id: asked, assert: { text: { contains: Which } } }
    - { id: never, assert: { tools: { require: [never_called] } } }
assert:
  tools:
    forbid_calls: [{ name: charge, args: { amount: 20 } }]
"#;

fn run_of(parts: Vec<Value>) -> String {
    let begin = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"});
    let end = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"});
    events([vec![begin], parts, vec![end]].concat())
}

fn call(id: &str, name: &str, args: &Value) -> Vec<Value> {
    vec![
        json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args.to_string()}),
        json!({"type": "TOOL_CALL_END", "toolCallId": id}),
        json!({"type": "TOOL_CALL_RESULT", "messageId": format!("m-{id}"), "toolCallId": id, "content": "{\"ok\":true}"}),
    ]
}

#[tokio::test]
async fn a_simulated_conversation_becomes_the_fewest_turns() {
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("a.test.yaml", TEST)]);
    let charge = call(
        "c2",
        "charge",
        &json!({"amount": 20, "currency": "EUR", "note": "again"}),
    );
    let shop = vec![
        agent_stream("Which order?"),
        run_of(
            [
                call("c0", "find_order", &json!({"id": 7})),
                call("c1", "charge", &json!({"amount": 10})),
            ]
            .concat(),
        ),
        run_of([call("c3", "find_order", &json!({"id": 8})), charge].concat()),
    ];
    let customer = ["Hello", "Order 7", "And order 8"]
        .map(agent_stream)
        .to_vec();
    let transport = Paths::sending(&[("/shop", shop), ("/customer", customer)]);
    let (outcomes, files) = recorded(&project, transport).await;
    assert_eq!(outcomes[0].status(), Status::Failed, "{outcomes:#?}");
    let shrunk = shrunk(&project, &files[0], 1000)
        .await
        .expect("a shrunk test");
    assert_eq!(
        (shrunk.recorded.0, shrunk.left.0, shrunk.steps),
        (3, 1, 1),
        "{shrunk:#?}"
    );
    let [(_, config), (_, test)] = &shrunk.files;
    assert!(
        test.contains("user: And order 8") && config.contains("amount: 20"),
        "{config}{test}"
    );
    for gone in [
        "find_order",
        "note",
        "currency",
        "result",
        "safe",
        "drop_table",
        "endpoint",
        "Which",
        "secret",
    ] {
        assert!(
            !config.contains(gone) && !test.contains(gone),
            "{gone} is in\n{config}{test}"
        );
    }
    let again = run_again(&project, &shrunk).await;
    assert_eq!(
        again
            .all_failures()
            .map(|(_, failure)| &*failure.rule)
            .collect::<Vec<_>>(),
        ["tools.forbid_calls"]
    );
}

#[tokio::test]
async fn a_captured_stream_becomes_the_call_that_is_forbidden() {
    for (name, tool) in [
        ("langgraph-weather", "get_weather"),
        ("pydantic-trip", "book_flight"),
    ] {
        let test = format!(
            "version: \"1.0\"\nname: a\nturns: [{{ user: Hi }}]\nassert: {{ tools: {{ forbid: [{tool}] }} }}\n"
        );
        let config = "version: \"1.0\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1:1/\", agentId: a }\n";
        let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", &test)]);
        let canned = Canned {
            bodies: Mutex::new(vec![body(name)]),
            chunk: usize::MAX,
        };
        let (_, files) = recorded(&project, Arc::new(canned)).await;
        let shrunk = shrunk(&project, &files[0], 1000)
            .await
            .expect("a shrunk test");
        assert!(shrunk.recorded.1 >= 10, "{name}: {shrunk:?}");
        assert_eq!(
            (shrunk.steps, shrunk.left.1),
            (1, 2),
            "{name}: {:?}",
            shrunk.files
        );
        assert_eq!(
            run_again(&project, &shrunk).await.status(),
            Status::Failed,
            "{name}"
        );
    }
}

/// A project whose one test fails, and its recording.
async fn failing(rules: &str, steps: &str, turns: &str) -> (Project, PathBuf) {
    let config = format!(
        "version: \"1.3\"\ntarget:\n  type: scripted\n  agentId: shop\n  rules:\n    - do: [{steps}]\n"
    );
    let test = format!("version: \"1.3\"\nname: a\nturns: [{turns}]\nassert: {rules}\n");
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    let (_, files) = recorded(&project, Arc::new(Nowhere)).await;
    (project, files.into_iter().next().expect("a recording"))
}

const STEPS: &str = "{ say: Hello }, { call: { tool: find, result: 1, delay_ms: 300 } }, { say: One }, \
                     { call: { tool: drop, args: { a: 1 }, result: ok } }, { say: Bye }";

#[tokio::test]
async fn the_same_recording_gives_the_same_files_and_tries_are_bounded() {
    let (project, file) = failing(
        "{ tools: { forbid: [drop] } }",
        STEPS,
        "{ user: Hi }, { user: Again }",
    )
    .await;
    let [first, second] = [
        shrunk(&project, &file, 1000).await,
        shrunk(&project, &file, 1000).await,
    ]
    .map(Result::unwrap);
    assert_eq!((&first.files, first.tried), (&second.files, second.tried));
    assert_eq!((first.left.0, first.steps), (1, 1));
    let bounded = shrunk(&project, &file, 3).await.unwrap();
    assert!(
        bounded.tried <= 3 && !bounded.is_smallest && bounded.steps > 1,
        "{bounded:?}"
    );
    assert_eq!(
        run_again(&project, &bounded).await.status(),
        Status::Failed,
        "it fails all the same"
    );
}

#[tokio::test]
async fn time_is_kept_only_if_the_rule_is_about_it() {
    let (project, file) = failing("{ timing: { max_tool_ms: 200 } }", STEPS, "{ user: Hi }").await;
    let shrunk = shrunk(&project, &file, 1000).await.unwrap();
    let [(_, config), _] = &shrunk.files;
    assert!(
        config.contains("delay_ms: 300") && !config.contains("drop"),
        "{config}"
    );
}

#[tokio::test]
async fn an_answered_interrupt_stays_with_its_answer() {
    let steps = "{ say: Hello }, { call: { tool: close, id: c } }, { interrupt: { id: i, message: Sure?, call: c, \
                 cancelled: [{ say: Kept }, { call: { tool: drop } }] } }, { answer: { id: c, result: closed } }";
    for (status, left) in [("cancelled", "drop"), ("resolved", "closed")] {
        let turns =
            format!("{{ user: Hi }}, {{ type: agui:resume, resume: [{{ status: {status} }}] }}");
        let rules =
            "{ tools: { forbid: [drop], forbid_calls: [{ name: close, result: closed }] } }";
        let (project, file) = failing(rules, steps, &turns).await;
        let shrunk = shrunk(&project, &file, 1000).await.unwrap();
        let [(_, config), (_, test)] = &shrunk.files;
        assert!(
            config.contains(left) && !config.contains("Hello"),
            "{config}{test}"
        );
        assert_eq!(run_again(&project, &shrunk).await.status(), Status::Failed);
    }
}

#[tokio::test]
async fn what_passes_or_asks_is_refused() {
    for (rules, why) in [
        (
            "{ tools: { forbid: [nothing] } }",
            "no rule failed in the recording, whose test passed",
        ),
        (
            "{ script: [{ cmd: [echo, \"false\"] }] }",
            "the rule `script` failed, which cannot be checked without asking",
        ),
    ] {
        let (project, file) = failing(rules, STEPS, "{ user: Hi }").await;
        match shrunk(&project, &file, 1000).await {
            Err(LabError::Refused { message, .. }) => {
                assert!(message.starts_with(why), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
}

//! Judges and simulators over HTTP: their requests, what is made of their answers, and that a recording replaces them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use ananke::agents::{
    Chunks, ClientEvent, HttpRequest, Next, Received, Reply, ResponseHead, TargetError, Transport,
};
use ananke::context::{At, ManualClock};
use ananke::helper::HelperRole;
use ananke::outcome::{ErrorKind, Outcome, Status};
use ananke::recording::{RecordingMode, Recordings};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::replay::{Nowhere, outcomes, recordings};
use crate::support::project::Project;

const CONFIG: &str = r#"version: "1.3"
target: { type: agui, endpoint: "http://127.0.0.1:1/shop", agentId: shop }
targets:
  agent: { type: agui, endpoint: "http://127.0.0.1:1/agent", agentId: judge, threadId: fixed, forwardedProps: { locale: en } }
  model:
    type: openai
    endpoint: "http://127.0.0.1:1/model"
    model: m-1
    headers: { authorization: "Bearer ${ENV.JUDGE_KEY}" }
  told: { extends: model, instructions: "You are strict." }
"#;

const YES: &str = r#"{"passed": true, "score": 0.9, "reason": "fine"}"#;

/// Answers the requests to each path with its texts, one after the other; if there is none left, the connection is
/// refused.
#[derive(Default)]
pub(crate) struct Paths {
    answers: Mutex<HashMap<&'static str, Vec<String>>>,
    requests: Mutex<Vec<(String, Value)>>,
}

impl Paths {
    fn saying(answers: &[(&'static str, &[&str])]) -> Arc<Self> {
        let stream = |path: &str, text: &str| match path {
            "/model/chat/completions" => model_stream(text),
            _ => agent_stream(text),
        };
        let answers = answers
            .iter()
            .map(|(path, texts)| (*path, texts.iter().map(|text| stream(path, text)).collect()))
            .collect();
        Arc::new(Self {
            answers: Mutex::new(answers),
            requests: Mutex::default(),
        })
    }

    /// The same with these bodies.
    pub(crate) fn sending(bodies: &[(&'static str, Vec<String>)]) -> Arc<Self> {
        let answers = bodies.iter().cloned().collect();
        Arc::new(Self {
            answers: Mutex::new(answers),
            requests: Mutex::default(),
        })
    }

    /// The bodies that were sent to `path`.
    fn sent(&self, path: &str) -> Vec<Value> {
        let requests = self.requests.lock().unwrap();
        requests
            .iter()
            .filter(|(to, _)| to == path)
            .map(|(_, body)| body.clone())
            .collect()
    }
}

pub(crate) fn events(events: impl IntoIterator<Item = Value>) -> String {
    events
        .into_iter()
        .map(|event| ["data: ", &event.to_string(), "\n\n"].concat())
        .collect()
}

pub(crate) fn agent_stream(text: &str) -> String {
    events([
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
    ])
}

pub(crate) fn model_stream(text: &str) -> String {
    let chunk = |delta: Value, reason: Option<&str>| {
        json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
               "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
    };
    let said = chunk(json!({"role": "assistant", "content": text}), None);
    events([said, chunk(json!({}), Some("stop"))]) + "data: [DONE]\n\n"
}

impl Transport for Paths {
    fn moment(&self, _event: ClientEvent) -> At {
        At(0)
    }

    fn send(
        &self,
        request: HttpRequest,
        _until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        let path = request.url.path().to_owned();
        let body = serde_json::from_slice(&request.body).unwrap();
        self.requests.lock().unwrap().push((path.clone(), body));
        let mut answers = self.answers.lock().unwrap();
        let left = answers
            .get_mut(path.as_str())
            .filter(|left| !left.is_empty());
        let reply = left.map(|left| left.remove(0)).ok_or_else(|| TargetError {
            message: "nothing listens there".to_owned(),
            received: Received::default(),
            help: None,
        });
        let reply = reply.map(|text| {
            let (sender, receiver) = mpsc::channel(2);
            sender
                .try_send(Next::Bytes(At(1), Bytes::from(text)))
                .unwrap();
            let head = ResponseHead {
                status: 200,
                content_type: "text/event-stream".to_owned(),
                ..ResponseHead::default()
            };
            let body = Box::new(Chunks::new(receiver, Arc::new(ManualClock::default())));
            Some(Reply {
                at: At(0),
                head,
                body,
            })
        });
        Box::pin(std::future::ready(reply))
    }
}

/// A test whose only turn has these entries of `judge`, and whose agent says hello.
fn project(entries: &str) -> Project {
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("t.test.yaml", &test(entries)),
    ]);
    project.with_environment("JUDGE_KEY", "k3y-of-the-judge")
}

fn test(entries: &str) -> String {
    let rules = format!("text: {{ contains: Hello }}, judge: [{entries}]");
    format!("version: \"1.3\"\nname: t\nturns: [{{ user: Hi, assert: {{ {rules} }} }}]\n")
}

fn kept(project: &Project, mode: RecordingMode) -> Recordings {
    recordings(&project.folder().join("kept"), mode)
}

async fn live(project: &Project, paths: &Arc<Paths>) -> Outcome {
    let transport = Arc::clone(paths) as Arc<dyn Transport>;
    outcomes(project, transport, &kept(project, RecordingMode::Record))
        .await
        .remove(0)
}

async fn replayed(project: &Project) -> Outcome {
    outcomes(
        project,
        Arc::new(Nowhere),
        &kept(project, RecordingMode::Replay),
    )
    .await
    .remove(0)
}

/// The problem of the only turn.
fn problem(outcome: &Outcome) -> (ErrorKind, &str) {
    let problem = outcome.transcript.turns[0]
        .problem()
        .unwrap_or_else(|| panic!("{outcome:#?}"));
    (problem.kind, &problem.message)
}

#[tokio::test]
async fn a_model_gets_a_prompt_and_an_agent_gets_options() {
    let project = project(
        "{ agent: model, criteria: polite, connector: m-2 }, { agent: told, criteria: polite }, \
         { agent: agent, criteria: polite, connector: m-2, with: { locale: en } }",
    );
    let paths = Paths::saying(&[
        ("/shop", &["Hello."]),
        ("/model/chat/completions", &[YES, YES]),
        ("/agent", &["PASS: fine"]),
    ]);
    let outcome = live(&project, &paths).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:#?}");
    let question = json!({
        "test_mode": "validator", "test_id": "t.test.yaml::t", "criteria": "polite", "input": "Hi", "output": "Hello.",
        "conversation": [
            {"role": "user", "content": "Hi", "turn": 1, "subagent": null},
            {"role": "assistant", "content": "Hello.", "turn": 1, "subagent": null},
        ],
        "tool_calls": [],
    });
    let models = paths.sent("/model/chat/completions");
    for (body, model, instructions) in [
        (&models[0], "m-2", HelperRole::Validator.prompt()),
        (&models[1], "m-1", "You are strict."),
    ] {
        let messages = json!([
            {"role": "system", "content": instructions},
            {"role": "user", "content": question.to_string()},
        ]);
        assert_eq!(
            (&body["model"], &body["messages"]),
            (&json!(model), &messages)
        );
        assert_eq!(body["options"], Value::Null, "a model takes no options");
    }
    let body = &paths.sent("/agent")[0];
    let mut question = question;
    question["locale"] = json!("en");
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    assert_eq!(body["messages"][0]["content"], json!(question.to_string()));
    let options = json!({"skip": {"history": true, "trace": false}, "metadata": question, "connector": "m-2"});
    assert_eq!(
        body["forwardedProps"],
        json!({"locale": "en", "options": options})
    );
    let thread = body["threadId"].as_str().unwrap();
    assert!(
        thread != outcome.transcript.thread_id && thread != "fixed",
        "a thread of its own: {thread}"
    );
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_asked_for_once_more() {
    let project = project("{ agent: agent, criteria: polite }");
    let paths = Paths::saying(&[("/shop", &["Hello."]), ("/agent", &["I think so.", YES])]);
    assert_eq!(live(&project, &paths).await.status(), Status::Passed);
    let threads: Vec<Value> = paths
        .sent("/agent")
        .iter()
        .map(|body| body["threadId"].clone())
        .collect();
    assert!(
        threads.len() == 2 && threads[0] != threads[1],
        "{threads:?}"
    );
    assert_eq!(replayed(&project).await.status(), Status::Passed);

    let paths = Paths::saying(&[("/shop", &["Hello."]), ("/agent", &["true", "[]", YES])]);
    let outcome = live(&project, &paths).await;
    assert_eq!(outcome.status(), Status::Error);
    let message = "judge error: the judge `agent` answered with a list: [] (asked 2 times); asked by the turn rule `judge` (t.test.yaml:3)";
    assert_eq!(problem(&outcome), (ErrorKind::Judge, message));
    assert_eq!(
        problem(&replayed(&project).await),
        (ErrorKind::Judge, message)
    );
}

#[tokio::test]
async fn a_judge_that_cannot_be_reached_is_an_error_whatever_the_agent_did() {
    for negated in ["", ", not: true"] {
        let project = project(&format!("{{ agent: agent, criteria: polite{negated} }}"));
        let paths = Paths::saying(&[("/shop", &["Hello."])]);
        let outcome = live(&project, &paths).await;
        let (kind, message) = problem(&outcome);
        assert_eq!((outcome.status(), kind), (Status::Error, ErrorKind::Judge));
        let expected = "judge error: the judge `agent` did not answer: nothing listens there";
        assert!(message.starts_with(expected), "{message}");
        assert_eq!(paths.sent("/agent").len(), 2, "it is asked once more");
        let held = &outcome.transcript.turns[0].rules;
        assert_eq!(held.len(), 1, "the other rule passed: {held:?}");
        assert_eq!(problem(&replayed(&project).await), (kind, message));
    }
}

fn rewrite(project: &Project, entries: &str) {
    std::fs::write(project.folder().join("t.test.yaml"), test(entries)).unwrap();
}

fn recording(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("kept/t/t.jsonl")).unwrap()
}

#[tokio::test]
async fn a_recording_speaks_for_the_judges() {
    let both = "{ agent: agent, criteria: polite, runs: 2 }, { agent: model, criteria: brief, threshold: 0.95 }";
    let project = project(both);
    let paths = Paths::saying(&[
        ("/shop", &["Hello k3y-of-the-judge."]),
        ("/agent", &[YES, YES]),
        ("/model/chat/completions", &[YES]),
    ]);
    let outcome = live(&project, &paths).await;
    assert_eq!(outcome.status(), Status::Failed, "{outcome:#?}");
    let text = recording(project.folder());
    for lane in [
        r#""lane":"judge.1","exchange":2"#,
        r#""lane":"judge.2","exchange":1"#,
    ] {
        assert!(text.contains(lane), "{text}");
    }
    let sealed = |outcome: Outcome| format!("{:?}", project.redactor.seal(outcome));
    let live = sealed(outcome);
    assert!(
        !text.contains("k3y-of-the-judge") && !live.contains("k3y-of-the-judge"),
        "the judge's key is a secret"
    );
    assert_eq!(sealed(replayed(&project).await), live);

    rewrite(
        &project,
        "{ agent: agent, criteria: polite, runs: 2 }, { agent: model, criteria: long, threshold: 0.95 }",
    );
    let outcome = replayed(&project).await;
    let (kind, message) = problem(&outcome);
    assert_eq!(kind, ErrorKind::Recording);
    assert!(
        message.contains("is of another request to the judge `model` in turn 1: "),
        "{message}"
    );

    rewrite(
        &project,
        &format!("{both}, {{ agent: told, criteria: new }}"),
    );
    let outcome = replayed(&project).await;
    let message =
        "the recording `kept/t/t.jsonl` holds no further request to the judge `told` of turn 1";
    assert_eq!(problem(&outcome), (ErrorKind::Recording, message));
}

#[tokio::test]
async fn a_simulator_is_asked_turn_by_turn_and_a_recording_speaks_for_it() {
    let test = |goal: &str| {
        format!(
            "version: \"1.3\"\nname: t\nsimulate:\n  agent: agent\n  goal: {goal}\n  with: {{ order: O-7 }}\n  checkpoints:\n    \
             - {{ id: asked, assert: {{ text: {{ contains: Which }} }} }}\n    \
             - {{ id: done, assert: {{ text: {{ contains: Done }} }} }}\n"
        )
    };
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("t.test.yaml", &test("cancel")),
    ]);
    let project = project.with_environment("JUDGE_KEY", "k3y-of-the-judge");
    let paths = Paths::saying(&[
        ("/shop", &["Which order?", "Done."]),
        (
            "/agent",
            &[
                r#"{"input": "Cancel it"}"#,
                "{\"passed\": true}",
                "It is O-7",
            ],
        ),
    ]);
    let outcome = live(&project, &paths).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:#?}");
    let said: Vec<&str> = outcome
        .transcript
        .turns
        .iter()
        .map(|turn| &*turn.input)
        .collect();
    assert_eq!(said, ["Cancel it", "It is O-7"]);
    let reached: Vec<Option<u32>> = outcome
        .transcript
        .checkpoints
        .iter()
        .map(|checkpoint| checkpoint.reached_at)
        .collect();
    assert_eq!(reached, [Some(1), Some(2)]);

    let asked = paths.sent("/agent");
    assert_eq!(
        asked.len(),
        3,
        "an answer that cannot be read is asked for once more"
    );
    let question = json!({
        "test_mode": "simulator", "test_id": "t.test.yaml::t", "persona": null, "goal": "cancel",
        "conversation": [
            {"role": "user", "content": "Cancel it", "turn": 1, "subagent": null},
            {"role": "assistant", "content": "Which order?", "turn": 1, "subagent": null},
        ],
        "last_response": "Which order?", "turn_number": 2, "turn_count": 2, "max_turns": 20,
        "checkpoints_reached": ["asked"], "checkpoints_pending": ["done"], "tool_results": [],
        "session_id": outcome.transcript.thread_id, "order": "O-7",
    });
    assert_eq!(
        asked[2]["messages"][0]["content"],
        json!(question.to_string())
    );
    assert_eq!(asked[2]["forwardedProps"]["options"]["metadata"], question);

    let sealed = |outcome: Outcome| format!("{:?}", project.redactor.seal(outcome));
    assert_eq!(sealed(replayed(&project).await), sealed(outcome));
    std::fs::write(project.folder().join("t.test.yaml"), test("refund")).unwrap();
    let outcome = replayed(&project).await;
    let problem = outcome
        .verdict
        .end()
        .problem()
        .unwrap_or_else(|| panic!("{outcome:#?}"));
    assert_eq!(problem.kind, ErrorKind::Recording);
    let message = "is of another request to the simulator `agent` in turn 1: ";
    assert!(problem.message.contains(message), "{}", problem.message);
}

/// A judge that accepts everything, as a program.
#[cfg(unix)]
const PROGRAM: &str = r#"while read -r line; do
  echo '{"type":"RUN_STARTED","threadId":"t","runId":"r"}'
  echo '{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"PASS: fine"}'
  echo '{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'
done
"#;

#[cfg(unix)]
#[tokio::test]
async fn a_recording_that_is_of_another_question_to_a_program_names_the_judge() {
    let config =
        format!("{CONFIG}  program: {{ type: command, cmd: [sh, judge.sh], agentId: judge }}\n");
    let entry = "{ agent: program, criteria: polite }";
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("t.test.yaml", &test(entry)),
        ("judge.sh", PROGRAM),
    ])
    .with_environment("JUDGE_KEY", "k3y-of-the-judge");
    let outcome = live(&project, &Paths::saying(&[("/shop", &["Hello."])])).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:#?}");
    assert_eq!(replayed(&project).await.status(), Status::Passed);

    rewrite(&project, "{ agent: program, criteria: brief }");
    let message = "the recording `kept/t/t.jsonl` is of another line to the judge `program` in turn 1: \
        `messages[0].content.criteria`: recorded `\"polite\"`, now `\"brief\"`; \
        `forwardedProps.options.metadata.criteria`: recorded `\"polite\"`, now `\"brief\"`";
    assert_eq!(
        problem(&replayed(&project).await),
        (ErrorKind::Recording, message)
    );

    rewrite(
        &project,
        &format!("{entry}, {{ agent: program, criteria: brief }}"),
    );
    let message =
        "the recording `kept/t/t.jsonl` holds no further program of the judge `program` in turn 1";
    assert_eq!(
        problem(&replayed(&project).await),
        (ErrorKind::Recording, message)
    );
}

#[test]
fn the_prompts_are_in_the_documents() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/judges.md")).unwrap();
    for role in HelperRole::ALL {
        assert!(
            page.contains(&format!("```text\n{}```", role.prompt())),
            "{role:?}"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_can_judge_and_its_recording_speaks_for_it() {
    let config = "version: \"1.3\"\n\
        target: { type: agui, endpoint: \"http://127.0.0.1:1/shop\", agentId: shop }\n\
        targets: { program: { type: command, cmd: [sh, judge.sh] } }\n";
    let events = [
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"PASS: fine"}"#,
        r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
    ];
    let program = format!(
        "read -r question\nprintf '%s\\n' '{}'\n",
        events.join("' '")
    );
    let test = test("{ agent: program, criteria: polite }");
    let project = Project::new(&[
        ("ananke.config.yaml", config),
        ("t.test.yaml", &test),
        ("judge.sh", &program),
    ]);
    let outcome = live(&project, &Paths::saying(&[("/shop", &["Hello."])])).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:#?}");
    assert!(recording(project.folder()).contains(r#""lane":"judge.1""#));
    std::fs::remove_file(project.folder().join("judge.sh")).unwrap();
    assert_eq!(replayed(&project).await.status(), Status::Passed);
}

#[tokio::test]
async fn a_judge_waits_for_the_rate_of_its_target() {
    let config = CONFIG.replace(
        "threadId: fixed,",
        "rate_limit: { requests: 1, per_ms: 300 },",
    );
    let test = test("{ agent: agent, criteria: polite, runs: 2 }");
    let project = Project::new(&[("ananke.config.yaml", &config), ("t.test.yaml", &test)])
        .with_environment("JUDGE_KEY", "k3y-of-the-judge");
    let paths = Paths::saying(&[("/shop", &["Hello."]), ("/agent", &[YES, YES])]);
    let started = tokio::time::Instant::now();
    let outcome = live(&project, &paths).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:#?}");
    assert!(
        started.elapsed().as_millis() >= 300,
        "the second question waits"
    );
    assert_eq!(paths.sent("/agent").len(), 2);
}

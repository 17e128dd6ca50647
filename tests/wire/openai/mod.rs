//! OpenAI-compatible models: every form in which servers stream a response, the tool loop, and servers that are busy.

mod streams;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ananke::agents::{
    Chunks, ClientEvent, Ended, HttpRequest, Limits, ModelParams, ModelSettings, ModelTarget,
    Reply, ResponseHead, TargetError, ToolExecution, Transport,
};
use ananke::context::{At, ManualClock};
use ananke::openai::ChatCompletions;
use ananke::outcome::{ErrorKind, Outcome, RunEvent, Status, TranscriptLine};
use ananke::recording::RecordingMode;
use ananke::run::{Options, RunAnswers, event_channel, run};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::replay::recordings;
use crate::support::canned::{limits, user};
use crate::support::conformance::{Exchanged, conforming, opened};
use crate::support::project::Project;
use crate::support::raw_agent::{Captured, RawAgent, Step};
use crate::support::summary::Summary;
use crate::wire::turns::{Answer, Recorded};

pub(super) fn model() -> ModelTarget<ChatCompletions> {
    ModelTarget::new(settings(0), ChatCompletions)
}

fn settings(retries: u32) -> ModelSettings {
    ModelSettings {
        endpoint: "http://127.0.0.1:1/v1/chat/completions"
            .parse()
            .expect("a URL"),
        model: "m".to_owned(),
        instructions: None,
        params: ModelParams::default(),
        headers: Vec::new(),
        options: Arc::default(),
        retries,
        tools: ToolExecution::default(),
    }
}

/// Rejects every request for now, four seconds after it was sent, and notes how many seconds each may take.
#[derive(Default)]
struct Rejecting {
    now: AtomicU64,
    allowed: Mutex<Vec<u64>>,
}

impl Rejecting {
    fn now(&self) -> At {
        At(self.now.load(Ordering::SeqCst))
    }
}

impl Transport for Rejecting {
    fn moment(&self, _event: ClientEvent) -> At {
        self.now()
    }

    fn send(
        &self,
        _request: HttpRequest,
        until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        self.allowed
            .lock()
            .unwrap()
            .push(until.since(self.now()).as_secs());
        let at = self.now().plus(Duration::from_secs(4));
        if at > until {
            return Box::pin(async { Ok(None) });
        }
        self.now.store(at.0, Ordering::SeqCst);
        let (_, receiver) = mpsc::channel(1);
        let body = Box::new(Chunks::new(receiver, Arc::new(ManualClock::default())));
        let head = ResponseHead {
            status: 429,
            ..ResponseHead::default()
        };
        Box::pin(async move { Ok(Some(Reply { at, head, body })) })
    }

    fn wait(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.now.store(self.now().plus(time).0, Ordering::SeqCst);
        Box::pin(async {})
    }
}

#[tokio::test]
async fn what_rejections_take_is_time_of_the_turn() {
    let transport = Arc::new(Rejecting::default());
    let target = ModelTarget::new(settings(100), ChatCompletions);
    let mut session = opened(&target, transport.clone(), 1).await;
    let ended = session
        .exchange(user(1, "hi"), &limits(), &mut Summary::default())
        .await;
    assert_eq!(ended, Ok(Ended::Timeout));
    assert_eq!(
        *transport.allowed.lock().unwrap(),
        [10, 6, 2],
        "of ten seconds, four for each rejection"
    );
}

/// A chunk with this delta.
pub(super) fn delta(delta: &Value) -> Value {
    json!({ "id": "c-1", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

pub(super) fn say(text: &str) -> Value {
    delta(&json!({ "content": text }))
}

pub(super) fn calls(fragments: &Value) -> Value {
    delta(&json!({ "tool_calls": fragments }))
}

/// A fragment of the call at `index`.
pub(super) fn fragment(index: u64, id: &str, name: &str, arguments: &str) -> Value {
    json!([{ "index": index, "id": id, "type": "function", "function": { "name": name, "arguments": arguments } }])
}

pub(super) fn finish(reason: &str) -> Value {
    json!({ "id": "c-1", "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

/// A stream of these chunks, with its end mark.
pub(super) fn stream(chunks: &[Value]) -> String {
    unmarked(chunks) + "data: [DONE]\n\n"
}

pub(super) fn unmarked(chunks: &[Value]) -> String {
    chunks.iter().fold(String::new(), |stream, chunk| {
        stream + &format!("data: {chunk}\n\n")
    })
}

pub(super) async fn read(name: &str, body: &str) -> Exchanged {
    conforming(&model(), name, 1, body.as_bytes()).await
}

/// The outcome of a test, and what the model received.
pub(super) struct Tested {
    pub(super) outcome: Outcome,
    pub(super) requests: Vec<Captured>,
    pub(super) project: Project,
}

pub(super) const TOOLS: &str = "
client_tools:
  - name: find_order
    description: Finds an order
    parameters: { type: object }
    mock: { result: { order: O-7 } }
";

pub(super) fn response(status: &str, headers: &str, body: &str) -> Vec<Step> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/event-stream\r\n{headers}connection: close\r\n\r\n"
    );
    vec![Step::Expect, Step::Send((head + body).into_bytes())]
}

pub(super) fn fine(chunks: &[Value]) -> Vec<Step> {
    response("200 OK", "", &stream(chunks))
}

fn busy(headers: &str) -> Vec<Step> {
    response(
        "429 Too Many Requests",
        headers,
        "{\"error\":{\"message\":\"slow down\"}}",
    )
}

/// Tests a model that responds like this.
pub(super) async fn tested(responses: Vec<Vec<Step>>, target: &str, test: &str) -> Tested {
    let agent = RawAgent::start(responses).await;
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: openai, endpoint: \"{}\", model: m, {target} }}\n",
        agent.url().replace("/agent", "/v1")
    );
    let test = format!("version: \"1.3\"\nname: a\n{test}");
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    let outcome = project.run().await.remove(0);
    Tested {
        outcome,
        requests: agent.requests().await,
        project,
    }
}

pub(super) fn body(request: &Captured) -> Value {
    serde_json::from_slice(&request.body).expect("JSON")
}

#[tokio::test]
async fn the_mocks_of_the_tools_answer_the_model() {
    let turns = "turns: [{ user: \"Where is it?\", assert: { tools: { require: [{ name: find_order }] }, text: { contains: \"on its way\" } } }, { user: Thanks }]\n";
    let target = "instructions: Be brief, params: { temperature: 0, stream_options: null }, headers: { x-key: k }";
    let responses = vec![
        fine(&[
            say("Wait"),
            calls(&fragment(0, "", "find_order", "")),
            finish("stop"),
        ]),
        fine(&[say("It is on its way."), finish("stop")]),
        fine(&[say("Welcome"), finish("stop")]),
    ];
    let Tested {
        outcome, requests, ..
    } = tested(responses, target, &(TOOLS.to_owned() + turns)).await;
    assert_eq!(
        outcome.status(),
        Status::Passed,
        "{:?}",
        outcome.first_problem()
    );
    assert!(
        requests[0].head.starts_with("POST /v1/chat/completions "),
        "{}",
        requests[0].head
    );
    assert!(
        requests[0].head.contains("x-key: k"),
        "{}",
        requests[0].head
    );
    let tool = json!({ "type": "function", "function": {
        "name": "find_order", "description": "Finds an order", "parameters": { "type": "object" },
    } });
    let system = json!({ "role": "system", "content": "Be brief" });
    let user = json!({ "role": "user", "content": "Where is it?" });
    let expected = json!({ "model": "m", "stream": true, "temperature": 0, "tools": [tool], "messages": [system, user] });
    assert_eq!(body(&requests[0]), expected);
    let call = json!({ "id": "call_0", "type": "function", "function": { "name": "find_order", "arguments": "{}" } });
    let assistant = json!({ "role": "assistant", "content": "Wait", "tool_calls": [call] });
    let answer =
        json!({ "role": "tool", "content": "{\"order\":\"O-7\"}", "tool_call_id": "call_0" });
    assert_eq!(
        body(&requests[1])["messages"],
        json!([system, user, assistant, answer])
    );
    let said = json!({ "role": "assistant", "content": "It is on its way." });
    let thanks = json!({ "role": "user", "content": "Thanks" });
    assert_eq!(
        body(&requests[2])["messages"],
        json!([system, user, assistant, answer, said, thanks])
    );
}

#[tokio::test]
async fn a_server_that_uses_an_id_again_gets_its_own_id_back() {
    let call = || {
        fine(&[
            calls(&fragment(0, "call_0", "find_order", "{}")),
            finish("tool_calls"),
        ])
    };
    let said = || fine(&[say("There"), finish("stop")]);
    let turns = "turns: [{ user: one }, { user: two }]\nassert: { tools: { require: [{ name: find_order, count: { exact: 2 } }] } }\n";
    let responses = vec![call(), said(), call(), said()];
    let Tested {
        outcome, requests, ..
    } = tested(responses, "", &(TOOLS.to_owned() + turns)).await;
    assert_eq!(
        outcome.status(),
        Status::Passed,
        "{:?}",
        outcome.first_problem()
    );
    let messages = body(&requests[3])["messages"].as_array().cloned().unwrap();
    let answered: Vec<&Value> = messages
        .iter()
        .filter_map(|message| message.get("tool_call_id"))
        .collect();
    assert_eq!(answered, ["call_0", "call_0"]);
}

#[tokio::test]
async fn a_call_to_a_tool_that_is_not_declared_fails_the_turn() {
    let responses = vec![fine(&[
        calls(&fragment(0, "a", "drop_all", "{}")),
        finish("tool_calls"),
    ])];
    let test =
        TOOLS.to_owned() + "turns: [{ user: hi }]\nassert: { tools: { forbid: [drop_all] } }\n";
    let Tested { outcome, .. } = tested(responses, "", &test).await;
    assert_eq!(outcome.status(), Status::Error);
    let (_, problem) = outcome.first_problem().expect("a problem");
    assert_eq!(
        problem.message,
        "the model called the tool `drop_all`, which is not declared; declared are `find_order`"
    );
    let is_call = |line: &TranscriptLine| matches!(line, TranscriptLine::Calls(_));
    assert!(
        outcome.transcript.turns[0].lines.iter().any(is_call),
        "the call is shown"
    );
}

#[tokio::test]
async fn a_busy_server_is_asked_again_and_the_waiting_is_no_time_of_the_model() {
    let done = || fine(&[say("There"), finish("stop")]);
    let test = "turns: [{ user: hi }]\n";
    let responses = vec![
        busy("retry-after: 1\r\n"),
        busy("retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n"),
        done(),
    ];
    let Tested {
        outcome,
        requests,
        project,
    } = tested(responses, "", test).await;
    assert_eq!(
        outcome.status(),
        Status::Passed,
        "{:?}",
        outcome.first_problem()
    );
    assert_eq!(requests.len(), 3);
    assert_eq!(body(&requests[0]), body(&requests[2]));
    assert!(
        outcome.transcript.turns[0].duration_us < Some(1_000_000),
        "{}",
        outcome.transcript.turns[0].duration_us.unwrap_or_default()
    );
    drop(project);

    for (headers, target, sent) in [
        ("", "retry_429: false", 1),
        (
            "retry-after: 0\r\n",
            "retry_429: 1, rate_limit: { requests: 1, per_ms: 300 }",
            2,
        ),
        ("retry-after: 61\r\n", "", 1),
        ("retry-after: Wed, 21 Oct 2099 07:28:00 GMT\r\n", "", 1),
    ] {
        let started = tokio::time::Instant::now();
        let Tested {
            outcome, requests, ..
        } = tested(vec![busy(headers); sent], target, test).await;
        let is_paced = !target.contains("rate_limit") || started.elapsed().as_millis() >= 300;
        assert!(is_paced, "a request that is sent again counts");
        assert_eq!(
            (outcome.status(), requests.len()),
            (Status::Error, sent),
            "{headers} {target}"
        );
        let (_, problem) = outcome.first_problem().expect("a problem");
        assert_eq!(problem.kind, ErrorKind::Protocol);
        assert!(
            problem.message.contains("HTTP 429") && problem.message.contains("slow down"),
            "{}",
            problem.message
        );
    }
    let failed = response("503 Service Unavailable", "retry-after: 0\r\n", "");
    let Tested {
        outcome, requests, ..
    } = tested(vec![failed], "", test).await;
    assert_eq!(
        (outcome.status(), requests.len()),
        (Status::Error, 1),
        "only 429 is sent again"
    );
}

#[tokio::test]
async fn a_response_that_is_too_large_is_an_error() {
    let test = "turns: [{ user: hi }]\n";
    let Tested { outcome, .. } = tested(
        vec![fine(&[say("There"), finish("stop")])],
        "max_response_bytes: 100",
        test,
    )
    .await;
    assert_eq!(outcome.status(), Status::Error);
    let (_, problem) = outcome.first_problem().expect("a problem");
    assert!(
        problem
            .message
            .starts_with("the response is larger than 100 bytes"),
        "{}",
        problem.message
    );
}

#[tokio::test]
async fn a_recording_replays_the_same_without_waiting() {
    let kept = tempfile::tempdir().unwrap();
    let responses = vec![
        busy("retry-after: 0.2\r\n"),
        fine(&[
            calls(&fragment(0, "a", "find_order", "{}")),
            finish("tool_calls"),
        ]),
        fine(&[say("There"), finish("stop")]),
    ];
    let agent = RawAgent::start(responses).await;
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: openai, endpoint: \"{}\", model: m }}\n",
        agent.url()
    );
    let test = format!(
        "version: \"1.3\"\nname: a\n{TOOLS}turns: [{{ user: hi }}]\nassert: {{ tools: {{ require: [{{ name: find_order }}] }} }}\n"
    );
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    let mut outcomes = Vec::new();
    for mode in [RecordingMode::Record, RecordingMode::Replay] {
        let (sender, mut receiver) = event_channel(10);
        let mut shared = project.shared(Options::default(), sender);
        shared.answers = RunAnswers::Recordings(recordings(kept.path(), mode));
        run(shared, project.plan().plan.expect("a plan")).await;
        while let Some(event) = receiver.recv().await {
            if let RunEvent::CaseFinished(outcome) = &*event {
                outcomes.push((**outcome).clone());
            }
        }
    }
    assert_eq!(agent.requests().await.len(), 3, "a replay sends nothing");
    let [live, replayed] = outcomes.as_slice() else {
        panic!("two outcomes")
    };
    assert_eq!(live.status(), Status::Passed, "{:?}", live.first_problem());
    assert_eq!(
        replayed.status(),
        Status::Passed,
        "{:?}",
        replayed.first_problem()
    );
    assert_eq!(live.transcript.turns, replayed.transcript.turns);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_stays_open_after_the_model_has_stopped_ends_the_turn() {
    let answer = Answer {
        parts: vec![(Duration::ZERO, unmarked(&[say("There"), finish("stop")]))],
        stays_open: true,
    };
    let mut session = opened(&model(), Arc::new(Recorded::new([answer])), 1).await;
    let limits = Limits {
        timeout: Duration::from_mins(1),
        ..limits()
    };
    let (mut summary, begun) = (Summary::default(), tokio::time::Instant::now());
    let ended = session.exchange(user(1, "hi"), &limits, &mut summary).await;
    assert_eq!(
        (ended, begun.elapsed().as_secs()),
        (Ok(Ended::Terminal), 15)
    );
    assert!(summary.text().contains("There"), "{}", summary.text());
}

#[test]
fn a_model_is_a_target_of_the_library() {
    let target: Arc<dyn ananke::agents::Target> = Arc::new(model());
    assert_eq!(
        (target.agent(), target.endpoint()),
        ("m", Some("http://127.0.0.1:1/v1/chat/completions"))
    );
}

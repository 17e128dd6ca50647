//! OpenAI-compatible models: every form in which servers stream a response, the tool loop, and servers that are busy.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ananke::agents::{
    Chunks, ClientEvent, Ended, HttpRequest, Limits, Reply, ResponseHead, TargetError,
    ToolExecution, Transport,
};
use ananke::context::{At, ManualClock};
use ananke::openai::{OpenaiSettings, OpenaiTarget};
use ananke::outcome::RunEvent;
use ananke::outcome::{ErrorKind, Outcome, Status, TranscriptLine};
use ananke::recording::RecordingMode;
use ananke::run::{Options, RunAnswers, event_channel, run};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::replay::recordings;
use crate::support::canned::{limits, user};
use crate::support::conformance::{Exchanged, conforming, opened};
use crate::support::project::Project;
use crate::support::raw_agent::{Captured, RawAgent, Step};
use crate::support::summary::Summary;

use super::turns::{Answer, Recorded};

pub(super) fn model() -> OpenaiTarget {
    OpenaiTarget::new(settings(0))
}

fn settings(retries: u32) -> OpenaiSettings {
    OpenaiSettings {
        endpoint: "http://127.0.0.1:1/v1/chat/completions"
            .parse()
            .expect("a URL"),
        model: "m".to_owned(),
        instructions: None,
        params: Map::new(),
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
    let target = OpenaiTarget::new(settings(100));
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

#[tokio::test]
async fn text_is_read_in_every_form() {
    let said = "run\nassistant: Hello\nfinished";
    for (name, body) in [
        (
            "as the API sends it",
            stream(&[
                delta(&json!({ "role": "assistant", "content": "" })),
                say("Hel"),
                say("lo"),
                finish("stop"),
            ]),
        ),
        (
            "null in every key",
            stream(&[
                delta(
                    &json!({ "content": null, "tool_calls": null, "refusal": null, "function_call": null }),
                ),
                say("Hello"),
                finish("stop"),
            ]),
        ),
        (
            "a chunk without choices first",
            stream(&[
                json!({ "id": "", "choices": [], "prompt_filter_results": [] }),
                say("Hello"),
                finish("stop"),
            ]),
        ),
        (
            "a choice without a delta",
            stream(&[
                json!({ "choices": [{ "index": 0 }] }),
                json!({ "choices": [{ "delta": null }] }),
                say("Hello"),
                finish("stop"),
            ]),
        ),
        (
            "a message instead of a delta",
            stream(&[
                json!({ "choices": [{ "message": { "content": "Hello" }, "finish_reason": "stop" }] }),
            ]),
        ),
        (
            "a list of parts",
            stream(&[
                delta(
                    &json!({ "content": [{ "type": "text", "text": "Hel" }, { "type": "text", "text": "lo" }] }),
                ),
                finish("stop"),
            ]),
        ),
        ("an end mark alone", stream(&[say("Hello")])),
        (
            "comments between",
            format!(
                ": alive\n\n{}: alive\n\n",
                stream(&[say("Hello"), finish("stop")])
            ),
        ),
    ] {
        assert_read(name, &body, said).await;
    }
    let truncated = stream(&[say("Hello"), finish("length")]);
    assert_read(
        "truncated",
        &truncated,
        "run\nassistant: Hello\ntruncated\nfinished",
    )
    .await;
}

async fn assert_read(name: &str, body: &str, expected: &str) {
    let exchanged = read(name, body).await;
    assert_eq!(
        (exchanged.changes.as_str(), exchanged.ended),
        (expected, Ok(Ended::Terminal)),
        "{name}"
    );
}

#[tokio::test]
async fn what_comes_beside_text_is_read() {
    for (name, body, expected) in [
        (
            "a refusal",
            stream(&[delta(&json!({ "refusal": "I cannot." })), finish("stop")]),
            "run\nassistant: I cannot.\nfinished",
        ),
        (
            "reasoning",
            stream(&[
                delta(&json!({ "reasoning_content": "Hm" })),
                delta(&json!({ "reasoning": "m" })),
                say("Hello"),
                finish("stop"),
            ]),
            "run\nthinks: Hmm\nassistant: Hello\nfinished",
        ),
        ("nothing", stream(&[finish("stop")]), "run\nfinished"),
        (
            "tokens at the end",
            stream(&[
                say("Hello"),
                finish("stop"),
                json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9 } }),
            ]),
            "run\nassistant: Hello\nusage 7 in, 2 out, 9\nfinished",
        ),
        (
            "tokens in every chunk",
            stream(&[
                json!({ "choices": [{ "delta": { "content": "Hello" } }], "usage": { "prompt_tokens": 7, "completion_tokens": 1 } }),
                json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }], "usage": { "prompt_tokens": 7, "completion_tokens": -2 } }),
            ]),
            "run\nassistant: Hello\n! `completion_tokens` of `usage` is not a count: it is taken as unknown\nusage 7 in, ? out, ?\nfinished",
        ),
        (
            "an object that is no chunk",
            stream(&[json!({ "type": "ping" }), say("Hello"), finish("stop")]),
            "run\n`chunk:ping` was not understood: {\"type\":\"ping\"}\nassistant: Hello\nfinished",
        ),
        (
            "other choices",
            stream(&[
                json!({ "choices": [{ "index": 1, "delta": { "content": "No" } }, { "index": 0, "delta": { "content": "Hello" } }] }),
                finish("stop"),
            ]),
            "run\n`choice:1` was not read: {\"index\":1,\"delta\":{\"content\":\"No\"}}\nassistant: Hello\nfinished",
        ),
    ] {
        assert_read(name, &body, expected).await;
    }
}

#[tokio::test]
async fn calls_are_put_together_in_every_form() {
    let one = "call a: f({\"x\":1})\n";
    for (name, chunks, expected) in [
        (
            "name first, then arguments",
            vec![
                calls(&fragment(0, "a", "f", "")),
                calls(&json!([{ "index": 0, "function": { "arguments": "{\"x\"" } }])),
                calls(&json!([{ "index": 0, "function": { "arguments": ":1}" } }])),
            ],
            one,
        ),
        (
            "all at once",
            vec![calls(&fragment(0, "a", "f", "{\"x\":1}"))],
            one,
        ),
        (
            "the id and the name in every fragment",
            vec![
                calls(&fragment(0, "a", "f", "{\"x\"")),
                calls(&fragment(0, "a", "f", ":1}")),
            ],
            one,
        ),
        (
            "arguments before the name",
            vec![
                calls(&json!([{ "index": 0, "id": "a", "function": { "arguments": "{\"x\"" } }])),
                calls(&json!([{ "index": 0, "function": { "name": "f", "arguments": ":1}" } }])),
            ],
            one,
        ),
        (
            "no index",
            vec![
                calls(&json!([{ "id": "a", "function": { "name": "f", "arguments": "{\"x\"" } }])),
                calls(&json!([{ "function": { "arguments": ":1}" } }])),
            ],
            one,
        ),
        (
            "arguments as an object",
            vec![calls(
                &json!([{ "index": 0, "id": "a", "function": { "name": "f", "arguments": { "x": 1 } } }]),
            )],
            one,
        ),
        (
            "one call instead of a list",
            vec![calls(
                &json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{\"x\":1}" } }),
            )],
            one,
        ),
        (
            "a single function",
            vec![
                delta(&json!({ "function_call": { "name": "f", "arguments": "{\"x\"" } })),
                delta(&json!({ "function_call": { "arguments": ":1}" } })),
            ],
            "call call_0: f({\"x\":1})\n",
        ),
    ] {
        assert_calls(name, &chunks, expected).await;
    }
}

/// The calls of these chunks are `expected`, whatever reason the model gives for its end.
async fn assert_calls(name: &str, chunks: &[Value], expected: &str) {
    for reason in ["tool_calls", "stop", "length"] {
        let all: Vec<Value> = chunks.iter().cloned().chain([finish(reason)]).collect();
        let exchanged = read(name, &stream(&all)).await;
        let truncated = if reason == "length" {
            "truncated\n"
        } else {
            ""
        };
        assert_eq!(
            exchanged.changes,
            format!("run\n{expected}{truncated}finished"),
            "{name}, {reason}"
        );
        let error = exchanged.ended.unwrap_err().message;
        assert!(
            error.ends_with("which is not declared; no tool is declared"),
            "{name}: {error}"
        );
    }
}

#[tokio::test]
async fn several_calls_are_told_apart_in_every_form() {
    let two = "call a: f({\"x\":1})\ncall b: g({\"y\":2})\n";
    for (name, chunks, expected) in [
        (
            "interleaved",
            vec![
                calls(&fragment(0, "a", "f", "{\"x\"")),
                calls(&fragment(1, "b", "g", "{\"y\"")),
                calls(
                    &json!([{ "index": 0, "function": { "arguments": ":1}" } }, { "index": 1, "function": { "arguments": ":2}" } }]),
                ),
            ],
            two,
        ),
        (
            "one index, several ids",
            vec![
                calls(&fragment(0, "a", "f", "{\"x\":1}")),
                calls(&fragment(0, "b", "g", "{\"y\":2}")),
            ],
            two,
        ),
        (
            "no index, several ids",
            vec![
                calls(
                    &json!([{ "id": "a", "function": { "name": "f", "arguments": "{\"x\":1}" } }]),
                ),
                calls(
                    &json!([{ "id": "b", "function": { "name": "g", "arguments": "{\"y\":2}" } }]),
                ),
            ],
            two,
        ),
        (
            "one index and no ids",
            vec![
                calls(&fragment(0, "", "f", "{\"x\":1}")),
                calls(&fragment(0, "", "f", "{\"x\":2}")),
            ],
            "call call_0: f({\"x\":1})\ncall call_1: f({\"x\":2})\n",
        ),
        (
            "one id, several indexes",
            vec![
                calls(&fragment(0, "a", "f", "{\"x\":1}")),
                calls(&fragment(1, "a", "f", "{\"x\":2}")),
            ],
            "call a: f({\"x\":1})\ncall a#2: f({\"x\":2})\n",
        ),
        (
            "arguments that are never JSON",
            vec![calls(&fragment(0, "a", "f", "{\"x\":"))],
            "call a: f({\"x\":)\n",
        ),
        (
            "an id for each fragment",
            vec![
                calls(&fragment(0, "a", "f", "")),
                calls(&fragment(0, "b", "", "{\"x\"")),
                calls(&fragment(0, "c", "", ":1}")),
                calls(&fragment(1, "d", "g", "")),
                calls(&fragment(1, "e", "", "{\"y\":2}")),
            ],
            "call a: f({\"x\":1})\ncall d: g({\"y\":2})\n",
        ),
        (
            "a name in pieces",
            vec![
                calls(&fragment(0, "a", "f", "")),
                calls(&fragment(0, "", "oo", "")),
                calls(&fragment(0, "", "", "{\"x\":1}")),
            ],
            "call a: foo({\"x\":1})\n",
        ),
        (
            "a name that is repeated",
            vec![
                calls(&fragment(0, "a", "f", "")),
                calls(&fragment(0, "a", "f", "{\"x\":1}")),
            ],
            "call a: f({\"x\":1})\n",
        ),
        (
            "no arguments",
            vec![calls(&fragment(0, "a", "f", ""))],
            "call a: f()\n",
        ),
    ] {
        assert_calls(name, &chunks, expected).await;
    }
}

#[tokio::test]
async fn what_is_no_response_is_an_error() {
    let call = calls(&json!([{ "index": 0, "id": "a", "function": { "arguments": "{}" } }]));
    for (body, message) in [
        (
            unmarked(&[say("Hel")]),
            "the stream ended without a `finish_reason` and without `[DONE]`",
        ),
        (
            "data: {\"choices\":[{\"delta\":{\"con".to_owned(),
            "the stream ended inside an event",
        ),
        (
            "data: hello\n\n".to_owned(),
            "event 1 of the response is not JSON: expected value at line 1 column 1 (`hello`)",
        ),
        (
            "data: [1]\n\n".to_owned(),
            "event 1 of the response is not a JSON object (`[1]`)",
        ),
        (String::new(), "the response is empty"),
        (
            "{\"choices\":[]}".to_owned(),
            "the server does not stream: the response is a JSON document",
        ),
        (
            "{\"answer\":42}".to_owned(),
            "the response is a JSON document, not a stream of chunks",
        ),
        (
            "<html>".to_owned(),
            "the response is a web page, not a stream of chunks",
        ),
        (": alive\n\n".to_owned(), "the response contains no chunk"),
        (
            stream(&[call, finish("tool_calls")]),
            "the model called a tool without naming it",
        ),
    ] {
        let error = read(message, &body).await.ended.unwrap_err();
        assert_eq!(error.message, message);
    }
}

#[tokio::test]
async fn an_error_in_the_stream_is_one_of_the_agent() {
    for (error, expected) in [
        (
            json!({ "error": { "message": "overloaded", "code": 503 } }),
            "error Some(\"503\"): overloaded",
        ),
        (
            json!({ "error": { "message": "overloaded", "type": "server" } }),
            "error Some(\"server\"): overloaded",
        ),
        (json!({ "error": "overloaded" }), "error None: overloaded"),
        (
            json!({ "object": "error", "message": "overloaded", "code": null }),
            "error None: overloaded",
        ),
        (json!({ "detail": "overloaded" }), "error None: overloaded"),
        (
            json!({ "choices": [{ "index": 0, "delta": {}, "error": { "message": "overloaded", "code": 502 } }] }),
            "error Some(\"502\"): overloaded",
        ),
        (
            finish("error"),
            "error None: the model stopped with the `finish_reason` `error`",
        ),
    ] {
        let exchanged = read(expected, &unmarked(&[say("Hel"), error])).await;
        assert_eq!(
            exchanged.changes,
            format!("run\nassistant: Hel\n{expected}")
        );
        assert_eq!(exchanged.ended, Ok(Ended::Terminal));
    }
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

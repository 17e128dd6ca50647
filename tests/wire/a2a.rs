//! A2A: what real servers sent, and every form in which servers answer.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ananke::a2a::{
    A2aSettings, A2aTarget, A2aVersion, AgentCard, AgentLocation, Binding, Blocking, Credentials,
    Dialect, Interface, ToolCallConvention,
};
use ananke::agents::{
    Action, Chunks, ClientEvent, Ended, HttpRequest, Next, Reply, Request, ResponseHead,
    TargetError, Transport,
};
use ananke::context::{At, ManualClock};
use ananke::message::UserContent;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::canned::limits;
use crate::support::conformance::{conforming, opened};
use crate::support::summary::Summary;

fn settings(dialect: Dialect, blocking: Blocking) -> A2aSettings {
    let interface = Interface {
        url: "http://127.0.0.1:1/rpc".parse().expect("a URL"),
        dialect,
        tenant: None,
    };
    let card = AgentCard {
        interface,
        is_streaming: true,
        schemes: Vec::new(),
        skills: Vec::new(),
    };
    A2aSettings {
        location: AgentLocation::Card { card, name: None },
        context_id: None,
        blocking,
        accepted_output_modes: None,
        conventions: vec![ToolCallConvention::Adk],
        headers: Vec::new(),
        credentials: Credentials::default(),
        options: Arc::default(),
    }
}

const NEW: Dialect = Dialect {
    version: A2aVersion::V1,
    binding: Binding::JsonRpc,
};
const OLD: Dialect = Dialect {
    version: A2aVersion::V03,
    binding: Binding::JsonRpc,
};

fn agent(dialect: Dialect, blocking: Blocking) -> A2aTarget {
    A2aTarget::new(settings(dialect, blocking))
}

fn captured(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/captures/a2a")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Answers with the next of its bodies: its content type, and the body. Time passes only while it is waited.
struct Answers {
    bodies: Mutex<Vec<(&'static str, Vec<u8>)>>,
    now: Mutex<At>,
    sent: Mutex<Vec<Value>>,
}

impl Answers {
    fn new(bodies: Vec<(&'static str, Vec<u8>)>) -> Arc<Self> {
        let bodies = Mutex::new(bodies.into_iter().rev().collect());
        Arc::new(Self {
            bodies,
            now: Mutex::default(),
            sent: Mutex::default(),
        })
    }
}

impl Transport for Answers {
    fn moment(&self, event: ClientEvent) -> At {
        match event {
            ClientEvent::Closes(Some(at)) => at,
            _ => *self.now.lock().unwrap(),
        }
    }

    fn send(
        &self,
        request: HttpRequest,
        until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        let at = *self.now.lock().unwrap();
        assert!(at < until, "a request is sent after the time is up");
        self.sent
            .lock()
            .unwrap()
            .push(serde_json::from_slice(&request.body).unwrap_or_default());
        let Some((content_type, body)) = self.bodies.lock().unwrap().pop() else {
            return Box::pin(async { Ok(None) });
        };
        let (sender, receiver) = mpsc::channel(2);
        sender
            .try_send(Next::Bytes(at, Bytes::from(body)))
            .expect("room");
        let head = ResponseHead {
            status: 200,
            content_type: content_type.to_owned(),
            ..ResponseHead::default()
        };
        let body = Box::new(Chunks::new(receiver, Arc::new(ManualClock::default())));
        Box::pin(async move { Ok(Some(Reply { at, head, body })) })
    }

    fn wait(&self, time: Duration) -> BoxFuture<'_, ()> {
        let mut now = self.now.lock().unwrap();
        *now = now.plus(time);
        Box::pin(async {})
    }
}

const STREAM: &str = "text/event-stream";
const DOCUMENT: &str = "application/json; charset=utf-8";

/// What each turn of a conversation shows, and what was sent.
async fn talked(
    target: &A2aTarget,
    answers: Vec<(&'static str, Vec<u8>)>,
    turns: &[&str],
) -> (Vec<String>, Vec<Value>) {
    let transport = Answers::new(answers);
    let mut session = opened(target, transport.clone(), 1).await;
    let mut shown = Vec::new();
    for (text, number) in turns.iter().zip(1..) {
        let content = UserContent::Text((*text).into());
        let request: Request = Action::User {
            message_id: format!("u{number}"),
            name: None,
            content,
        }
        .into();
        let mut summary = Summary::default();
        let ended = session.exchange(request, &limits(), &mut summary).await;
        let text = match ended {
            Ok(Ended::Terminal) => summary.text(),
            Ok(ended) => format!("{}\n{ended:?}", summary.text()),
            Err(error) => format!("{}\nerror: {error}", summary.text()),
        };
        shown.push(text.trim().to_owned());
    }
    let sent = transport.sent.lock().unwrap().clone();
    (shown, sent)
}

#[tokio::test]
async fn streams_of_real_servers() {
    let weather = "call call-1: get_weather({\"city\":\"Kyiv\",\"days\":3.0})\n  = json {\"result\":\"21C\"}\nassistant: It is 21C in Kyiv.";
    for (name, dialect, shown) in [
        (
            "py-echo.sse",
            NEW,
            "run\nbeside, in a status message: working on: echo hi\ncustom status: {\"state\":\"working\",\"message\":\"working on: echo hi\"}\nassistant: echo: echo hi\nbeside, in a status message: bye\nfinished",
        ),
        (
            "py-message.sse",
            NEW,
            "run\nassistant: direct message reply\nfinished",
        ),
        ("py-tools.sse", NEW, weather),
        ("py-chunks.sse", NEW, "assistant: Hello wörld\nfinished"),
        (
            "py-data.sse",
            NEW,
            "assistant: {\"items\":[1.0,2.5,null,true],\"total\":3.0}\nassistant: summary\nfinished",
        ),
        ("py-fail.sse", NEW, "error Some(\"failed\"): it broke"),
        ("py-reject.sse", NEW, "error Some(\"rejected\"): not my job"),
        (
            "py-crash.sse",
            NEW,
            "error Some(\"-32603\"): boom in executor",
        ),
        (
            "py-auth.sse",
            NEW,
            "error Some(\"auth-required\"): the task waits for an authorization that a test cannot give",
        ),
        ("py-book-1.sse", NEW, "interrupted []"),
        ("js-echo.sse", NEW, "assistant: echo: echo hi\nfinished"),
        (
            "js-message.sse",
            NEW,
            "run\nassistant: direct reply\nfinished",
        ),
        ("js-chunks.sse", NEW, "finished"),
        ("js-data.sse", NEW, "finished"),
        (
            "js-crash.sse",
            NEW,
            "error Some(\"failed\"): Agent execution error: boom",
        ),
        ("js-fail.sse", NEW, "error Some(\"failed\"): it broke"),
        (
            "js-book-1.sse",
            NEW,
            "assistant: Which city?\ninterrupted []",
        ),
        (
            "js-0.3-book-1.sse",
            OLD,
            "assistant: Which city?\ninterrupted []",
        ),
    ] {
        let read = conforming(
            &agent(dialect, Blocking::Streaming),
            name,
            1,
            &captured(name),
        )
        .await;
        assert_eq!(read.ended, Ok(Ended::Terminal), "{name}");
        assert!(read.changes.contains(shown), "{name}: {}", read.changes);
    }
}

#[tokio::test]
async fn a_task_goes_on_with_the_answer_to_its_question() {
    for (name, dialect) in [("py", NEW), ("js", NEW), ("js-0.3", OLD)] {
        let stream = |number: u32| (STREAM, captured(&format!("{name}-book-{number}.sse")));
        let target = agent(dialect, Blocking::Streaming);
        let (shown, sent) = talked(&target, vec![stream(1), stream(2)], &["book", "Rome"]).await;
        assert!(
            shown[0].ends_with("assistant: Which city?\ninterrupted []"),
            "{name}: {}",
            shown[0]
        );
        // The second stream begins with the question of the first: it is not said again.
        assert!(!shown[1].contains("Which city?"), "{name}: {}", shown[1]);
        assert!(
            shown[1].ends_with("finished") && shown[1].contains("assistant: "),
            "{name}: {}",
            shown[1]
        );
        let message = |number: usize| &sent[number]["params"]["message"];
        assert_eq!(
            (message(0).get("taskId"), message(0).get("contextId")),
            (None, None)
        );
        assert!(
            message(1)["taskId"].is_string() && message(1)["contextId"].is_string(),
            "{name}: {sent:?}"
        );
    }
}

#[tokio::test]
async fn documents_of_real_servers() {
    let document = |name: &str| (DOCUMENT, captured(name));
    let target = agent(NEW, Blocking::Blocking);
    let answers = vec![
        document("py-blocking-book-1.json"),
        document("py-blocking-book-2.json"),
    ];
    let (shown, _) = talked(&target, answers, &["book", "Paris"]).await;
    assert!(shown[0].contains("interrupted []"), "{}", shown[0]);
    assert!(
        shown[1].ends_with("finished") && shown[1].contains("assistant: "),
        "{}",
        shown[1]
    );
    for (name, dialect, end) in [
        (
            "py-blocking-message.json",
            NEW,
            "run\nassistant: direct message reply\nfinished",
        ),
        (
            "js-blocking-crash.json",
            NEW,
            "error Some(\"failed\"): Agent execution error: boom",
        ),
        ("js-0.3-blocking-echo.json", OLD, "finished"),
    ] {
        let (shown, _) = talked(
            &agent(dialect, Blocking::Blocking),
            vec![document(name)],
            &["hi"],
        )
        .await;
        assert!(shown[0].ends_with(end), "{name}: {}", shown[0]);
    }
}

#[tokio::test]
async fn a_task_is_polled_until_it_is_done() {
    let document = |number: u32| (DOCUMENT, captured(&format!("js-polled-{number}.json")));
    for blocking in [Blocking::Polling, Blocking::Blocking] {
        let target = agent(NEW, blocking);
        let (shown, sent) = talked(
            &target,
            vec![document(1), document(2), document(3)],
            &["slow 1"],
        )
        .await;
        assert_eq!(
            shown,
            [
                "run\nbeside, in a status message: thinking\ncustom status: {\"state\":\"working\",\"message\":\"thinking\"}\nassistant: echo: slow 1\nfinished"
            ]
        );
        let methods: Vec<&str> = sent
            .iter()
            .filter_map(|sent| sent["method"].as_str())
            .collect();
        assert_eq!(methods, ["SendMessage", "GetTask", "GetTask"]);
        let is_polled = sent[0]["params"]["configuration"]["returnImmediately"] == true;
        assert_eq!(is_polled, blocking == Blocking::Polling);
    }
}

#[tokio::test]
async fn a_task_that_is_never_done_is_a_timeout() {
    let task = |id: u32| {
        let result = json!({ "id": "t", "contextId": "c", "status": { "state": "submitted" } });
        (
            DOCUMENT,
            json!({ "jsonrpc": "2.0", "id": id.to_string(), "result": result })
                .to_string()
                .into_bytes(),
        )
    };
    let (shown, sent) = talked(
        &agent(OLD, Blocking::Blocking),
        (1..100).map(task).collect(),
        &["hi"],
    )
    .await;
    assert_eq!(shown, ["run\nTimeout"]);
    assert_eq!(
        sent.len(),
        8,
        "200, 400, 800, 1600 and then each 2000 ms, in ten seconds"
    );
}

/// A stream of JSON-RPC responses with these results.
fn stream(results: &[Value]) -> Vec<u8> {
    let event = |result: &Value| {
        format!(
            "data: {}\n\n",
            json!({ "jsonrpc": "2.0", "id": "1", "result": result })
        )
    };
    results.iter().map(event).collect::<String>().into_bytes()
}

fn status(state: &str) -> Value {
    json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": state } } })
}

fn artifact(text: &str, append: bool) -> Value {
    let artifact = json!({ "artifactId": "a", "parts": [{ "text": text }] });
    json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": artifact, "append": append } })
}

async fn read(results: &[Value]) -> String {
    let read = conforming(
        &agent(NEW, Blocking::Streaming),
        "results",
        1,
        &stream(results),
    )
    .await;
    match read.ended {
        Ok(Ended::Terminal) => read.changes,
        ended => format!("{}{ended:?}", read.changes),
    }
}

#[tokio::test]
async fn no_text_is_said_twice() {
    let done = status("TASK_STATE_COMPLETED");
    let said = |text: &str| format!("run\nassistant: {text}\nfinished");
    // Parts are appended to an artifact that was never created, and all of it is sent again at the end.
    let streamed = [
        artifact("Hel", true),
        artifact("lo", true),
        artifact("Hello", false),
        done.clone(),
    ];
    assert_eq!(read(&streamed).await.trim(), said("Hello"));
    // The task at the end has the artifact that was streamed.
    let task = json!({ "task": { "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_COMPLETED" },
        "artifacts": [{ "artifactId": "a", "parts": [{ "text": "Hello" }] }] } });
    assert_eq!(
        read(&[artifact("Hello", false), task]).await.trim(),
        said("Hello")
    );
    let replaced = read(&[
        artifact("draft", false),
        artifact("final", false),
        done.clone(),
    ])
    .await;
    assert_eq!(
        replaced.trim(),
        "run\nassistant: draft\nassistant: final\nfinished"
    );
    // An artifact next to a task instead of an update.
    let working =
        json!({ "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" } });
    let loose = json!({ "task": working, "artifact": { "parts": [{ "text": "Hello" }] } });
    assert_eq!(read(&[loose, done]).await.trim(), said("Hello"));
}

#[tokio::test]
async fn what_is_said_at_the_end_is_text_if_nothing_else_is() {
    let mut done = status("TASK_STATE_COMPLETED");
    done["statusUpdate"]["status"]["message"] =
        json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "bye" }] });
    assert_eq!(
        read(std::slice::from_ref(&done)).await.trim(),
        "run\nassistant: bye\nfinished"
    );
    assert_eq!(
        read(&[artifact("Hello", false), done]).await.trim(),
        "run\nassistant: Hello\nbeside, in a status message: bye\nfinished"
    );
}

/// What is read of `results` by a convention, or by none.
async fn read_by(convention: Option<ToolCallConvention>, results: &[Value]) -> String {
    let conventions = convention.into_iter().collect();
    let target = A2aTarget::new(A2aSettings {
        conventions,
        ..settings(NEW, Blocking::Streaming)
    });
    conforming(&target, "results", 1, &stream(results))
        .await
        .changes
        .trim()
        .to_owned()
}

#[tokio::test]
async fn a_convention_shows_calls_and_without_it_there_are_none() {
    // Gemini CLI announces a call several times: as it is scheduled, waits for an approval, is executed and is done.
    let coder = |kind: &str, parts: Value| {
        json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "metadata": { "coderAgent": { "kind": kind } },
            "status": { "state": "TASK_STATE_WORKING",
                "message": { "messageId": parts.to_string(), "role": "ROLE_AGENT", "parts": parts } } } })
    };
    let call = |id: &str, status: &str, response: Value| {
        let data = json!({ "request": { "callId": id, "name": "ls", "args": { "path": "." } }, "status": status,
            "response": response });
        coder("tool-call-update", json!([{ "data": data }]))
    };
    let gemini = [
        coder("thought", json!([{ "text": "I look." }])),
        call("1", "scheduled", Value::Null),
        call("1", "executing", Value::Null),
        call("1", "success", json!("a.txt")),
        call("1", "success", json!("a.txt")),
        call("2", "awaiting_approval", Value::Null),
        call("2", "cancelled", json!({ "error": "no" })),
        coder("text-content", json!([{ "text": "One " }])),
        coder("text-content", json!([{ "text": "file." }])),
        status("TASK_STATE_COMPLETED"),
    ];
    // The steps of the traceability extension come with the artifact, and once more with the whole task.
    let key = "github.com/a2aproject/a2a-samples/extensions/traceability/v1/traceability";
    let tool = json!({ "step_id": "s1", "call_type": "TOOL", "outputs": { "n": 1 },
        "step_action": { "tool_invocation": { "tool_name": "ls", "parameters": { "path": "." } } } });
    let trace = json!({ key: { "trace_id": "x", "steps": [{ "call_type": "AGENT" }, tool] } });
    let part = json!({ "artifactId": "a", "parts": [{ "text": "One file." }], "metadata": trace });
    let traceability = [
        json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": part } }),
        json!({ "task": { "id": "t", "contextId": "c", "metadata": trace, "artifacts": [part],
            "status": { "state": "TASK_STATE_COMPLETED" } } }),
    ];
    let shown = read_by(Some(ToolCallConvention::Gemini), &gemini).await;
    assert_eq!(
        shown,
        "run\nthinks: I look.\ncall 1: ls({\"path\":\".\"})\n  = text a.txt\ncall 2: ls({\"path\":\".\"})\n  \
         = json {\"error\":\"no\"} (error) (denied)\nassistant: One file.\nfinished"
    );
    let shown = read_by(Some(ToolCallConvention::Traceability), &traceability).await;
    assert_eq!(
        shown,
        "run\ncall s1: ls({\"path\":\".\"})\n  = json {\"n\":1}\nassistant: One file.\nfinished"
    );
    for results in [gemini.as_slice(), &traceability] {
        for convention in [None, Some(ToolCallConvention::Adk)] {
            let shown = read_by(convention, results).await;
            assert!(!shown.contains("call"), "{shown}");
        }
    }
}

#[tokio::test]
async fn what_an_agent_must_not_send_is_an_error() {
    let event = |event: &str| format!("data: {event}\n\n").into_bytes();
    for (body, why) in [
        (
            stream(&[status("TASK_STATE_WORKING")]),
            "the stream ended while the task was not done (its state: `TASK_STATE_WORKING`)",
        ),
        (
            event("{\"id\":\"7\",\"result\":{}}"),
            "event 1 of the response answers the request `7`, but the request that waits is `1`",
        ),
        (
            event("{\"type\":\"RUN_STARTED\"}"),
            "event 1 of the response is not a response of JSON-RPC",
        ),
        (event("nonsense"), "event 1 of the response is not JSON"),
        (
            event("{\"id\":\"1\",\"result\":7}"),
            "event 1 of the response has a result that is not an object",
        ),
        (
            event("{\"id\":\"1\",\"result\":{\"a\":1}}"),
            "the stream has neither a task, nor a message, nor an update",
        ),
        (
            stream(&[json!({ "statusUpdate": {} })]),
            "event 1 of the response has a status update without a `status`",
        ),
        (
            stream(&[json!({ "statusUpdate": { "status": {} } })]),
            "event 1 of the response has a status without a `state`",
        ),
        (
            stream(&[json!({ "artifactUpdate": {} })]),
            "event 1 of the response has an artifact update without an `artifact`",
        ),
        (
            stream(&[json!({ "task": {} })]),
            "event 1 of the response has a task without a `status`",
        ),
        (b"<html>".to_vec(), "the response is a web page"),
        (Vec::new(), "the response is empty"),
        (
            event("{\"id\":\"1\",\"error\":{\"code\":-32009,\"message\":\"version\"}}"),
            "the agent does not accept requests of A2A 1.0 over JSON-RPC: version (code `-32009`)",
        ),
    ] {
        let shown = conforming(&agent(NEW, Blocking::Streaming), why, 1, &body).await;
        let error = shown.ended.expect_err(why).to_string();
        assert!(error.starts_with(why), "{error}");
    }
}

//! Turns that are not user messages: connecting, answering interrupts, answering calls; and the ways to a runtime.

mod answers;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ananke::agents::{
    Action, Chunks, ClientEvent, Ended, HttpRequest, Limits, Next, Reply, ResponseHead, Session,
    TargetError, Transport,
};
use ananke::agui::{AguiSettings, AguiTransport};
use ananke::context::{At, Clock};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::agui::{session, settings};
use crate::support::canned::{limits, user};
use crate::support::summary::Summary;
use crate::support::tokio_clock::TokioClock;

/// A response: parts of its body with the pause before each, and whether it then stays open.
#[derive(Clone, Default)]
pub(super) struct Answer {
    pub(super) parts: Vec<(Duration, String)>,
    pub(super) stays_open: bool,
}

/// Answers each request with the next of its responses, and keeps the requests.
pub(super) struct Recorded {
    clock: Arc<TokioClock>,
    answers: Mutex<VecDeque<Answer>>,
    requests: Mutex<Vec<HttpRequest>>,
}

impl Recorded {
    pub(super) fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self {
            clock: Arc::new(TokioClock::start()),
            answers: Mutex::new(answers.into_iter().collect()),
            requests: Mutex::default(),
        }
    }
}

impl Transport for Recorded {
    fn moment(&self, _event: ClientEvent) -> At {
        self.clock.now()
    }

    fn send(
        &self,
        request: HttpRequest,
        _until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        self.requests.lock().unwrap().push(request);
        let Answer { parts, stays_open } =
            self.answers.lock().unwrap().pop_front().unwrap_or_default();
        let (sender, body) = mpsc::channel(1);
        let clock = Arc::clone(&self.clock);
        tokio::spawn(async move {
            for (pause, part) in parts {
                tokio::time::sleep(pause).await;
                let _gone = sender
                    .send(Next::Bytes(clock.now(), Bytes::from(part)))
                    .await;
            }
            if stays_open {
                sender.closed().await;
            }
        });
        let head = ResponseHead {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            ..ResponseHead::default()
        };
        let at = self.clock.now();
        let body = Box::new(Chunks::new(body, Arc::clone(&self.clock) as Arc<dyn Clock>));
        Box::pin(async move { Ok(Some(Reply { at, head, body })) })
    }
}

fn frames(events: &[Value]) -> String {
    events.iter().fold(String::new(), |frames, event| {
        frames + &format!("data: {event}\n\n")
    })
}

fn whole(events: &[Value]) -> Answer {
    Answer {
        parts: vec![(Duration::ZERO, frames(events))],
        stays_open: false,
    }
}

/// A conversation with an agent that sends these responses.
struct Talk {
    recorded: Arc<Recorded>,
    session: Box<dyn Session>,
    limits: Limits,
    told: Summary,
}

impl Talk {
    async fn with(settings: AguiSettings, answers: impl IntoIterator<Item = Answer>) -> Self {
        let recorded = Arc::new(Recorded::new(answers));
        let session = session(settings, Arc::clone(&recorded) as Arc<dyn Transport>, 1).await;
        Self {
            recorded,
            session,
            limits: limits(),
            told: Summary::default(),
        }
    }

    async fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self::with(settings("http://127.0.0.1/api/"), answers).await
    }

    async fn send(&mut self, action: Action) -> Result<Ended, TargetError> {
        self.session
            .exchange(action.into(), &self.limits, &mut self.told)
            .await
    }

    fn urls(&self) -> Vec<String> {
        self.recorded
            .requests
            .lock()
            .unwrap()
            .iter()
            .map(|request| request.url.to_string())
            .collect()
    }

    fn bodies(&self) -> Vec<Value> {
        let requests = self.recorded.requests.lock().unwrap();
        requests
            .iter()
            .map(|request| serde_json::from_slice(&request.body).unwrap())
            .collect()
    }

    fn last_body(&self) -> Value {
        self.bodies().pop().unwrap()
    }
}

fn say(number: u32) -> Action {
    user(number, "hi").action
}

fn started(run: &str) -> Value {
    json!({"type": "RUN_STARTED", "threadId": "t-1", "runId": run})
}

fn finished(run: &str) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t-1", "runId": run})
}

fn said(id: &str, text: &str) -> Vec<Value> {
    vec![
        json!({"type": "TEXT_MESSAGE_START", "messageId": id}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": id}),
    ]
}

fn call(id: &str, name: &str) -> Vec<Value> {
    vec![
        json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name, "parentMessageId": "m1"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": "{}"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": id}),
    ]
}

fn run(id: &str, events: Vec<Value>) -> Vec<Value> {
    [vec![started(id)], events, vec![finished(id)]].concat()
}

/// Two earlier runs as a runtime replays them: the user's message is in the start of each.
fn replayed() -> Vec<Value> {
    let user = |id: &str, text: &str| json!({"id": id, "role": "user", "content": text});
    let start = |run: &str, messages: Value| json!({"type": "RUN_STARTED", "threadId": "t-1", "runId": run, "input": {"threadId": "t-1", "runId": run, "messages": messages}});
    let first = [
        vec![start("old-1", json!([user("q1", "one")]))],
        said("a1", "first"),
        vec![finished("old-1")],
    ];
    let second = [
        vec![start(
            "old-2",
            json!([user("q1", "one"), user("q2", "two")]),
        )],
        said("a2", "second"),
        vec![json!({"type": "STATE_SNAPSHOT", "snapshot": {"step": 2}})],
        vec![json!({"type": "RUN_ERROR", "message": "it broke then"})],
    ];
    [first.concat(), second.concat()].concat()
}

#[tokio::test]
async fn connecting_takes_over_what_is_told() {
    let mut talk = Talk::new([whole(&replayed()), whole(&run("r-2", Vec::new()))]).await;
    assert_eq!(talk.send(Action::Connect).await, Ok(Ended::Terminal));
    assert_eq!(talk.last_body()["messages"], json!([]));
    assert_eq!(talk.send(say(3)).await, Ok(Ended::Terminal));
    let body = talk.last_body();
    let expected = json!([
        {"id": "q1", "role": "user", "content": "one"},
        {"id": "a1", "role": "assistant", "content": "first"},
        {"id": "q2", "role": "user", "content": "two"},
        {"id": "a2", "role": "assistant", "content": "second"},
        {"id": "u3", "role": "user", "content": "hi"},
    ]);
    assert_eq!(
        (&body["messages"], &body["state"]),
        (&expected, &json!({"step": 2}))
    );
}

#[tokio::test]
async fn connecting_keeps_what_the_agent_does_not_tell() {
    // Numbers go back as they were sent.
    let sent: Value = serde_json::from_str(r#"{"mine":true,"price":1.50}"#).unwrap();
    let state = json!({"type": "STATE_SNAPSHOT", "snapshot": sent});
    let first = run("r-1", [said("a1", "hello"), vec![state]].concat());
    let mut talk = Talk::new([
        whole(&first),
        whole(&run("r-2", Vec::new())),
        whole(&run("r-3", Vec::new())),
    ])
    .await;
    for action in [say(1), Action::Connect, say(2)] {
        assert_eq!(talk.send(action).await, Ok(Ended::Terminal));
    }
    let body = talk.last_body();
    assert_eq!(body["messages"].as_array().map(Vec::len), Some(3), "{body}");
    assert_eq!(body["state"].to_string(), r#"{"mine":true,"price":1.50}"#);
}

#[tokio::test(start_paused = true)]
async fn connecting_ends_a_second_after_the_last_event() {
    let pause = Duration::from_millis(900);
    let comment = || (pause, ": still here\n\n".to_owned());
    let parts = vec![
        (Duration::ZERO, frames(&run("old-1", said("a1", "one")))),
        (pause, frames(&run("old-2", said("a2", "two")))),
        comment(),
        comment(),
    ];
    let mut talk = Talk::new([Answer {
        parts,
        stays_open: true,
    }])
    .await;
    let begun = tokio::time::Instant::now();
    assert_eq!(talk.send(Action::Connect).await, Ok(Ended::Terminal));
    assert_eq!(begun.elapsed().as_millis(), 1900, "a comment is no event");
}

#[tokio::test(start_paused = true)]
async fn connecting_waits_for_a_run_that_is_open() {
    let still_open = [run("old-1", said("a1", "one")), vec![started("old-2")]].concat();
    let parts = vec![
        (Duration::ZERO, frames(&still_open)),
        (
            Duration::from_secs(5),
            frames(&[said("a2", "two"), vec![finished("old-2")]].concat()),
        ),
    ];
    let mut talk = Talk::new([Answer {
        parts,
        stays_open: false,
    }])
    .await;
    assert_eq!(talk.send(Action::Connect).await, Ok(Ended::Terminal));
    let mut cut = Talk::new([whole(&still_open)]).await;
    let error = cut
        .send(Action::Connect)
        .await
        .expect_err("a run that never ends");
    assert_eq!(
        error.message,
        "the stream ended without a terminal event (`RUN_FINISHED` or `RUN_ERROR`)"
    );
}

#[tokio::test]
async fn a_thread_nobody_knows_is_explained() {
    let mut talk = Talk::new([whole(&[])]).await;
    let error = talk.send(Action::Connect).await.expect_err("nothing came");
    assert_eq!(
        error.message,
        "the response is empty: the agent replayed nothing of the thread `t-1`"
    );
    assert!(
        error
            .help
            .is_some_and(|help| help.contains("is there a thread of this id?"))
    );
    let mut busy = Talk::new([whole(&[])]).await;
    let error = busy.send(say(1)).await.expect_err("nothing came");
    assert!(
        error
            .help
            .is_some_and(|help| help.contains("busy with another run"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_runtime_with_one_route_gets_envelopes() {
    let settings = AguiSettings {
        transport: AguiTransport::Copilotkit,
        ..settings("http://127.0.0.1/api")
    };
    let open = Answer {
        parts: vec![(Duration::ZERO, frames(&[started("r-3")]))],
        stays_open: true,
    };
    let answers = [whole(&replayed()), whole(&run("r-2", Vec::new())), open];
    let mut talk = Talk::with(settings, answers).await;
    assert_eq!(talk.send(Action::Connect).await, Ok(Ended::Terminal));
    assert_eq!(talk.send(say(1)).await, Ok(Ended::Terminal));
    assert_eq!(talk.send(say(2)).await, Ok(Ended::Timeout));
    assert_eq!(talk.urls(), ["http://127.0.0.1/api"; 4]);
    let bodies = talk.bodies();
    let envelopes: Vec<_> = bodies
        .iter()
        .map(|body| (&body["method"], &body["params"]))
        .collect();
    let params = json!({"agentId": "shop"});
    let stop = json!({"agentId": "shop", "threadId": "t-1"});
    assert_eq!(
        envelopes,
        [
            (&json!("agent/connect"), &params),
            (&json!("agent/run"), &params),
            (&json!("agent/run"), &params),
            (&json!("agent/stop"), &stop),
        ]
    );
    assert_eq!(
        (&bodies[1]["body"]["threadId"], bodies[3].get("body")),
        (&json!("t-1"), None)
    );
}

#[tokio::test(start_paused = true)]
async fn a_runtime_with_many_routes_gets_paths() {
    let settings = AguiSettings {
        agent: "my shop/é".to_owned(),
        transport: AguiTransport::CopilotkitRest,
        ..settings("http://127.0.0.1/api/")
    };
    let open = Answer {
        parts: vec![(Duration::ZERO, frames(&[started("r-2")]))],
        stays_open: true,
    };
    let mut talk = Talk::with(settings, [whole(&replayed()), open]).await;
    assert_eq!(talk.send(Action::Connect).await, Ok(Ended::Terminal));
    assert_eq!(talk.send(say(1)).await, Ok(Ended::Timeout));
    let agent = "http://127.0.0.1/api/agent/my%20shop%2F%C3%A9";
    assert_eq!(
        talk.urls(),
        [
            format!("{agent}/connect"),
            format!("{agent}/run"),
            format!("{agent}/stop/t-1")
        ]
    );
    assert_eq!(
        talk.bodies()[1]["threadId"],
        json!("t-1"),
        "the input stands bare in the body"
    );
}

#[tokio::test(start_paused = true)]
async fn a_runtime_hears_that_a_run_is_called_off() {
    let settings = AguiSettings {
        transport: AguiTransport::Copilotkit,
        ..settings("http://127.0.0.1/api")
    };
    let open = Answer {
        parts: vec![(Duration::ZERO, frames(&[started("r-1")]))],
        stays_open: true,
    };
    let mut talk = Talk::with(settings, [open]).await;
    let cancel = talk.limits.cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(2)).await;
        cancel.cancel();
    });
    assert_eq!(talk.send(say(1)).await, Ok(Ended::Cancelled));
    let methods: Vec<Value> = talk
        .bodies()
        .iter()
        .map(|body| body["method"].clone())
        .collect();
    assert_eq!(methods, ["agent/run", "agent/stop"]);
}

#[tokio::test(start_paused = true)]
async fn a_plain_agent_is_only_hung_up_on() {
    let open = Answer {
        parts: vec![(Duration::ZERO, frames(&[started("r-1")]))],
        stays_open: true,
    };
    let mut talk = Talk::new([open]).await;
    assert_eq!(talk.send(say(1)).await, Ok(Ended::Timeout));
    assert_eq!(talk.urls().len(), 1);
}

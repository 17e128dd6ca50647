//! The whole way from the bytes of an agent to the trace, twice, with what must be true whatever the bytes are. The
//! fuzz target runs it on what it makes up, a test on the saved corpus.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ananke::context::{At, CaseKey, Context, ManualClock, SequentialIds};
use ananke::message::{ToolAnswer, UserContent};
use ananke::target::agui::{AguiSettings, AguiTarget, AguiTransport, ConversationSettings};
use ananke::target::pipe::ProgramLauncher;
use ananke::target::{
    Action, Chunks, ClientEvent, HttpRequest, Limits, Next, Reply, ResponseHead, SessionOptions, Sink, Stop,
    Target, TargetError, Transport, Wire,
};
use ananke::trace::{Change, Delta, Event, Input, Trace};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What divides the answers of several exchanges.
const NEXT_ANSWER: &[u8] = b"\n===\n";

/// Walks the whole way with the answers in `data`, in one chunk each and in small ones: both must come to the same.
///
/// # Panics
/// Where something is not as it must be.
pub(crate) fn walk(data: &[u8]) {
    let (first, rest) = data.split_first().unwrap_or((&0, &[]));
    let connects = first & 1 == 1;
    let size = usize::from(first >> 1) + 1;
    let answers: Vec<&[u8]> = split(rest);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime");
    let whole = runtime.block_on(travel(&answers, usize::MAX, connects));
    let chunked = runtime.block_on(travel(&answers, size, connects));
    assert_eq!(whole, chunked, "the size of the chunks changes what is understood");
}

fn split(mut data: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while let Some(position) = data.windows(NEXT_ANSWER.len()).position(|window| window == NEXT_ANSWER) {
        parts.push(&data[..position]);
        data = &data[position + NEXT_ANSWER.len()..];
    }
    parts.push(data);
    parts.truncate(4);
    parts
}

/// What a conversation with these answers comes to, in words.
async fn travel(answers: &[&[u8]], chunk: usize, connects: bool) -> String {
    let transport = Arc::new(Answers {
        left: Mutex::new(answers.iter().rev().map(|answer| answer.to_vec()).collect()),
        chunk,
    });
    let settings = AguiSettings {
        agent: "fuzz".to_owned(),
        endpoint: "http://127.0.0.1/".parse().expect("a URL"),
        options: Arc::default(),
        headers: Vec::new(),
        transport: AguiTransport::Http,
        conversation: ConversationSettings {
            state: json!({}),
            event_clock: true,
            ..ConversationSettings::default()
        },
    };
    let options = SessionOptions {
        key: CaseKey::first("fuzz"),
        thread_id: "t-1".to_owned(),
        history: Vec::new(),
        client_tools: Arc::default(),
        clock: Arc::new(ManualClock::default()),
        ids: Arc::new(SequentialIds::default()),
        transport,
        programs: Arc::new(ProgramLauncher::new(&Context::isolated("/"))),
    };
    let target = AguiTarget::new(settings);
    let mut session = target.open(options).await.expect("opening does nothing that can fail");
    let limits = Limits {
        deadline: None,
        timeout: Duration::from_secs(10),
        max_event_bytes: 64 << 10,
        max_response_bytes: 1 << 20,
        cancel: CancellationToken::new(),
        pacer: None,
    };
    let mut capture = Capture { trace: Trace::new(json!({})).by_event_clock(), touched: Vec::new() };
    let mut words = String::new();
    for number in 0..answers.len() {
        let action = next_action(&capture.trace, number, connects);
        capture.begin(&action);
        let ended = session.exchange(action.into(), &limits, &mut capture).await;
        capture.trace.end_turn(&mut capture.touched);
        check(&capture.trace);
        let ended = match ended {
            Ok(ended) => format!("{ended:?}\n"),
            Err(TargetError { message, .. }) => format!("{message}\n"),
        };
        words.push_str(&ended);
    }
    words + &summary(&capture.trace)
}

/// Connects first where that is wanted; then every call that waits is answered, else the user says something.
fn next_action(trace: &Trace, number: usize, connects: bool) -> Action {
    if number == 0 && connects {
        return Action::Connect;
    }
    let waiting = trace.calls.iter().filter(|call| call.results.is_empty());
    let answer = |call: &ananke::trace::ToolCall| ToolAnswer {
        call: call.wire_id.to_string(),
        content: json!("ok"),
        is_error: false,
    };
    let answers: Vec<ToolAnswer> = waiting.map(answer).collect();
    if number > 1 && !answers.is_empty() {
        return Action::ToolResults(answers);
    }
    Action::User { message_id: format!("u{number}"), name: None, content: UserContent::Text("hi".into()) }
}

struct Capture {
    trace: Trace,
    touched: Vec<Delta>,
}

impl Capture {
    fn begin(&mut self, action: &Action) {
        let message_id = match action {
            Action::User { message_id, .. } => Some(message_id.clone()),
            _ => None,
        };
        let is_replay = *action == Action::Connect;
        self.trace.begin_turn(Input { message_id, text: "hi".to_owned(), is_replay, ..Input::default() });
    }
}

impl Sink for Capture {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        match wire {
            Wire::Sent { body } => {
                let body: Value = serde_json::from_slice(body).expect("a request is JSON");
                let messages = body["messages"].as_array().expect("a request has messages");
                check_messages(messages);
                self.trace.begin_exchange(at);
            }
            Wire::Request { .. } | Wire::Headers(_) => {}
            Wire::Head { status, .. } => self.trace.head(at, status),
            Wire::Frame(_) => self.trace.event(at),
            Wire::Closed => self.trace.end_exchange(at),
            Wire::Late { missing } => self.trace.late(missing),
        }
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        self.trace.apply(at, change, &mut self.touched);
        for touch in self.touched.drain(..) {
            let (Delta::CallStarted(index) | Delta::ArgsDone(index) | Delta::Answered(index)) = touch else {
                continue;
            };
            assert!(index < self.trace.calls.len(), "a touch of a call that is not there");
        }
        ControlFlow::Continue(())
    }
}

/// What is true of the messages of every request: each result answers a call that is listed before it, and each call has
/// at most one result. Calls may share an id.
///
/// # Panics
/// Where it is not.
pub(crate) fn check_messages(messages: &[Value]) {
    let mut waiting: HashMap<&str, usize> = HashMap::new();
    for message in messages {
        for call in message["toolCalls"].as_array().into_iter().flatten() {
            *waiting.entry(call["id"].as_str().expect("a call has an id")).or_default() += 1;
        }
        if message["role"] == "tool" {
            let id = message["toolCallId"].as_str().expect("a result names its call");
            let left = waiting.get_mut(id).filter(|left| **left > 0);
            *left.unwrap_or_else(|| {
                panic!("the call `{id}` is answered and does not wait in {messages:?}")
            }) -= 1;
        }
    }
}

/// What is true of every trace.
fn check(trace: &Trace) {
    for call in &trace.calls {
        assert!(call.first_event <= call.last_event, "a call ends before it begins");
        assert!((call.last_event as usize) < trace.events.len().max(1), "a call of no event");
        assert!(call.counted_in < trace.turns.len(), "a call of no turn");
        let _parsed = call.args();
    }
    for turn in &trace.turns {
        assert!(turn.calls.end <= trace.calls.len() && turn.messages.end <= trace.messages.len());
        let _text = trace.turn_text(turn);
        let _time = trace.turn_micros(turn);
        for violation in turn.violations.kept() {
            let of_exchange = |event: &&Event| usize::from(event.exchange) == violation.exchange;
            let count = trace.events.iter().filter(of_exchange).count();
            let numbers = &violation.events;
            assert!(numbers.iter().all(|number| (1..=count).contains(&(*number as usize))), "{violation}");
            assert!(numbers.is_sorted_by(|breaks, earlier| breaks > earlier), "{violation}");
        }
    }
}

fn summary(trace: &Trace) -> String {
    let calls = trace.calls.iter().map(|call| {
        let results: Vec<&str> = call.results.iter().map(|result| result.text.as_str()).collect();
        format!("{} {}({}) -> {results:?}\n", call.wire_id, call.name, call.args_text)
    });
    let warnings = trace.turns.iter().flat_map(|turn| &turn.warnings).map(|warning| format!("! {warning}\n"));
    let violations = trace.turns.iter().flat_map(|turn| turn.violations.kept());
    let violations = violations.map(|violation| format!("! {violation}\n"));
    calls.chain(violations).chain(warnings).collect::<String>()
        + &trace.text()
        + &trace.state.value().to_string()
}

/// Answers each request with the next of its bodies, in chunks of one size.
struct Answers {
    left: Mutex<Vec<Vec<u8>>>,
    chunk: usize,
}

impl Transport for Answers {
    fn moment(&self, _event: ClientEvent) -> At {
        At(0)
    }

    fn send(&self, _request: HttpRequest, _until: At) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        let body = self.left.lock().expect("nobody else holds it").pop().unwrap_or_default();
        let (sender, receiver) = mpsc::channel(body.len() + 1);
        for chunk in body.chunks(self.chunk.min(body.len()).max(1)) {
            sender.try_send(Next::Bytes(At(0), Bytes::copy_from_slice(chunk))).expect("room for every chunk");
        }
        let head = ResponseHead {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            location: None,
            headers: Vec::new(),
        };
        let body = Box::new(Chunks::new(receiver, Arc::new(ManualClock::default())));
        Box::pin(async move { Ok(Some(Reply { at: At(0), head, body })) })
    }
}

//! Drives a row and notes when its rule settles.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use ananke::assertion::{Judge, Standing};
use ananke::context::{At, CaseKey, SequentialIds};
use ananke::message::UserContent;
use ananke::redact::Redactor;
use ananke::target::scripted::Step;
use ananke::target::{Action, Limits, Request, SessionOptions, Sink, Stop, Wire};
use ananke::trace::{Change, Input, RunEnd, Trace};
use tokio_util::sync::CancellationToken;

use super::Row;
use super::agents::{Agent, target};
use super::levels::inherited;

/// How the rule of `row` settles: `broken at event 5 of turn 1`, `holds at the end of the test`, …
pub(crate) fn observe(row: &Row, script: &[Vec<Step>], agent: Agent) -> String {
    let rules = inherited(&[(row.level, row.rule)], script.len());
    let mut observer = Observer::new(Judge::start(rules, Redactor::default()).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(drive(&mut observer, script, agent));
    observer.settled.unwrap_or_else(|| "never settles".to_owned())
}

async fn drive(observer: &mut Observer, script: &[Vec<Step>], agent: Agent) {
    let (target, clock, transport) = target(agent, script);
    let ids = Arc::new(SequentialIds::default());
    let client_tools = Arc::default();
    let options = SessionOptions {
        key: CaseKey::first("row"),
        thread_id: "thread".to_owned(),
        history: Vec::new(),
        client_tools,
        clock,
        ids,
        transport,
    };
    let mut session = target.open(options).await.unwrap();
    let limits = Limits {
        timeout: Duration::from_mins(10),
        max_event_bytes: Limits::MAX_EVENT_BYTES,
        max_response_bytes: Limits::MAX_RESPONSE_BYTES,
        cancel: CancellationToken::new(),
    };
    for index in 0..script.len() {
        let (message_id, content) = (format!("user-{index}"), UserContent::Text("go on".into()));
        observer.first_event = observer.trace.events.len();
        let input = Input {
            message_id: Some(message_id.clone()),
            text: content.text().into_owned(),
            ..Input::default()
        };
        observer.trace.begin_turn(input);
        observer.judge.begin_turn(index).unwrap();
        if observer.judge.standings().next().is_some() {
            // A limit stands anew on each turn: what held on the last one decides nothing.
            observer.settled = None;
        }
        let request = Request::from(Action::User { message_id, name: None, content });
        session.exchange(request, &limits, observer).await.unwrap();
        let ended = observer.trace.exchanges.last().unwrap().run_end.as_ref();
        let failed = ended.is_some_and(|outcome| {
            matches!(outcome, RunEnd::Error { .. }) && !observer.judge.expects(outcome)
        });
        let mut touched = Vec::new();
        observer.trace.end_turn(&mut touched);
        for touch in touched {
            observer.judge.touched(&observer.trace, touch);
        }
        let failures = observer.judge.end_turn(&observer.trace, failed);
        observer.note(&format!("the end of turn {}", index + 1));
        if failed || !failures.is_empty() {
            return;
        }
    }
    observer.judge.settle(&observer.trace);
    observer.note("the end of the test");
}

struct Observer {
    trace: Trace,
    judge: Judge,
    first_event: usize,
    /// Whether the rule was ever in force.
    seen: bool,
    settled: Option<String>,
}

impl Observer {
    fn new(judge: Judge) -> Self {
        Self { trace: Trace::new(serde_json::json!({})), judge, first_event: 0, seen: false, settled: None }
    }

    /// Notes the first moment at which the row's rule is no longer open.
    fn note(&mut self, moment: &str) {
        // A row writes one rule; where a limit stands for each turn and for the test, the first to settle is broken.
        let standings: Vec<Standing> = self.judge.standings().map(|(_, standing)| standing).collect();
        self.seen |= !standings.is_empty();
        if !self.seen || self.settled.is_some() {
            return;
        }
        let word = if standings.contains(&Standing::Broken) {
            "broken"
        } else if standings.contains(&Standing::Open) {
            return;
        } else {
            "holds"
        };
        self.settled = Some(format!("{word} at {moment}"));
    }
}

impl Sink for Observer {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        match wire {
            Wire::Sent { .. } => self.trace.begin_exchange(at),
            Wire::Head { status, .. } => self.trace.head(at, status),
            Wire::Frame(_) => self.trace.event(at),
            Wire::Closed => self.trace.end_exchange(at),
        }
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        let mut touched = Vec::new();
        self.trace.apply(at, change, &mut touched);
        for touch in touched {
            self.judge.touched(&self.trace, touch);
        }
        let event = self.trace.events.len() - self.first_event;
        let turn = self.trace.turns.len();
        self.note(&format!("event {event} of turn {turn}"));
        ControlFlow::Continue(())
    }
}

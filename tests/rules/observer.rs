//! Runs a row and notes when its rule is decided.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use ananke::agents::pipe::ProgramLauncher;
use ananke::agents::scripted::CompiledStep;
use ananke::agents::{Action, Limits, Request, SessionOptions, Sink, Stop, UndeclaredCalls, Wire};
use ananke::assertion::{Completion, Evaluator, Following, Inherited};
use ananke::context::{At, CaseKey, Context, SequentialIds};
use ananke::message::UserContent;
use ananke::outcome::RuleResult;
use ananke::redact::Redactor;
use ananke::trace::{Change, Input, RunEnd, Trace};
use tokio_util::sync::CancellationToken;

use super::Row;
use super::agents::{Agent, target};
use super::levels::inherited;

/// How the rule of `row` settles: `broken at event 5 of turn 1`, `holds at the end of the test`, …
pub(crate) fn observe(row: &Row, script: &[Vec<CompiledStep>], agent: Agent) -> String {
    let rules = inherited(&[(row.level, row.rule)], script.len());
    let mut observer = Observer::new(rules);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(drive(&mut observer, script, agent));
    observer
        .settled
        .unwrap_or_else(|| "never settles".to_owned())
}

/// The whole conversation, and every failure of the rule of `row` in it: a failure does not end it.
pub(crate) fn conversation(
    row: &Row,
    script: &[Vec<CompiledStep>],
    agent: Agent,
) -> (Trace, Vec<RuleResult>) {
    let rules = inherited(&[(row.level, row.rule)], script.len());
    let mut observer = Observer {
        goes_on: true,
        ..Observer::new(rules)
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(drive(&mut observer, script, agent));
    (observer.trace, observer.failures)
}

async fn drive(observer: &mut Observer, script: &[Vec<CompiledStep>], agent: Agent) {
    let (target, clock, transport) = target(agent, script);
    let ids = Arc::new(SequentialIds::default());
    let client_tools = Arc::default();
    let options = SessionOptions {
        key: CaseKey::first("row"),
        thread_id: "thread".to_owned(),
        history: Vec::new(),
        client_tools,
        declares_tools: false,
        undeclared: UndeclaredCalls::Rejected,
        clock,
        ids,
        transport,
        programs: Arc::new(ProgramLauncher::new(&Context::isolated("/"))),
        offered: Arc::default(),
    };
    let mut session = target.open(options).await.unwrap();
    let limits = Limits {
        after_noise: None,
        deadline: None,
        timeout: Duration::from_mins(10),
        max_event_bytes: Limits::MAX_EVENT_BYTES,
        max_response_bytes: Limits::MAX_RESPONSE_BYTES,
        cancel: CancellationToken::new(),
        pacer: None,
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
        observer.begin_turn(index);
        let request = Request::from(Action::User {
            message_id,
            name: None,
            content,
        });
        session.exchange(request, &limits, observer).await.unwrap();
        let ended = observer.trace.exchanges.last().unwrap().run_end.as_ref();
        let failed = ended.is_some_and(|outcome| {
            matches!(outcome, RunEnd::Error { .. }) && !observer.evaluator.expects(outcome)
        });
        let mut touched = Vec::new();
        observer.trace.end_turn(&mut touched);
        for touch in touched {
            observer.evaluator.touched(&observer.trace, touch);
        }
        let following = if index + 1 == script.len() {
            Following::Nothing
        } else {
            Following::Turns
        };
        let completion = if failed {
            Completion::Aborted
        } else {
            Completion::Complete
        };
        let failures = observer
            .evaluator
            .end_turn(&observer.trace, completion, following);
        let is_violated = !failures.is_empty() || observer.evaluator.unjudged().is_some();
        observer.note(&format!("the end of turn {}", index + 1), is_violated);
        let is_violated = !failures.is_empty();
        observer.failures.extend(failures);
        if failed || is_violated && !observer.goes_on {
            return;
        }
    }
    let failures = observer.evaluator.settle(&observer.trace);
    observer.note("the end of the test", !failures.is_empty());
    observer.failures.extend(failures);
}

struct Observer {
    trace: Trace,
    rules: Inherited,
    evaluator: Evaluator,
    first_event: usize,
    /// How many rules apply to the test as a whole.
    of_test: usize,
    /// How many rules are not decided yet.
    open: usize,
    /// Whether a rule has applied so far.
    applied: bool,
    settled: Option<String>,
    failures: Vec<RuleResult>,
    /// Whether the conversation goes on after a failure.
    goes_on: bool,
}

impl Observer {
    fn new(rules: Inherited) -> Self {
        let totals = rules
            .limits
            .iter()
            .filter(|(measure, _)| measure.has_total())
            .count();
        let of_test = rules.test.len() + totals;
        Self {
            trace: Trace::new(serde_json::json!({})),
            evaluator: Evaluator::start(rules.clone(), Redactor::default()).unwrap(),
            rules,
            first_event: 0,
            of_test,
            open: of_test,
            applied: of_test > 0,
            settled: None,
            failures: Vec::new(),
            goes_on: false,
        }
    }

    fn begin_turn(&mut self, index: usize) {
        self.evaluator.begin_turn(index).unwrap();
        let rules = &self.rules.turns[index];
        let of_turn = rules.entries.len() + rules.limits.iter().count();
        self.open += of_turn;
        if self.of_test + of_turn + self.open > 0 {
            // A limit applies to each turn separately: that it passed on the last one decides nothing.
            self.settled = None;
            self.applied = true;
        }
    }

    /// Notes the first moment at which the row's rule is no longer open.
    fn note(&mut self, moment: &str, is_violated: bool) {
        self.open -= self.evaluator.take_passed(&self.trace).len();
        if !self.applied || self.settled.is_some() {
            return;
        }
        // A row defines one rule; if a limit applies to each turn and to the test, the first decision is a violation.
        let word = match (is_violated, self.open) {
            (true, _) => "fails",
            (false, 0) => "holds",
            (false, _) => return,
        };
        self.settled = Some(format!("{word} at {moment}"));
    }
}

impl Sink for Observer {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        match wire {
            Wire::Sent { .. } => self.trace.begin_exchange(at),
            Wire::Request { .. } | Wire::Headers(_) | Wire::Taken(_) | Wire::Alive => {}
            Wire::Head { status, .. } => self.trace.head(at, status),
            Wire::Frame(_) => self.trace.event(at),
            Wire::Closed => self.trace.end_exchange(at),
            Wire::Late { missing } => self.trace.late(missing),
        }
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        let mut touched = Vec::new();
        self.trace.apply(at, change, &mut touched);
        let mut is_violated = false;
        for touch in touched {
            is_violated |= self.evaluator.touched(&self.trace, touch);
        }
        let event = self.trace.events.len() - self.first_event;
        let turn = self.trace.turns.len();
        self.note(&format!("event {event} of turn {turn}"), is_violated);
        ControlFlow::Continue(())
    }
}

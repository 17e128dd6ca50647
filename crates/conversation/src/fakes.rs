//! A session, inputs and answers that do what a test of this folder writes down.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::budget::Budget;
use super::checkpoints::Checkpoints;
use super::conversation::{ConversationParts, converse};
use super::hosts::{Handling, Oracle, RequestHost, ToolHost};
use super::input_source::{ConversationSoFar, InputSource, NextTurn, TurnReview};
use super::observer::Observer;
use super::result::ConversationResult;
use ananke_agents::{Action, Ended, Limits, Request, Session, Sink, TargetError, Wire};
use ananke_base::context::{At, Clock, ManualClock, SequentialIds};
use ananke_base::diagnostic::SourceFile;
use ananke_base::message::{
    Lane, MessageId, RequestContext, ServerAnswer, ServerAnswers, ServerRequest, ServerRequestKind,
    ToolAnswer, TurnInput, TurnRequest, UserContent,
};
use ananke_model::model::{NEWEST_VERSION, TestFile};
use ananke_model::schema::{FileKind, Version, load};
use ananke_model::settings::RunSettings;
use ananke_model::variables::{Interpolation, Mode, Scope};
use ananke_rules::{
    Block, CompiledCheckpoint, Decision, Evaluator, Inherited, JudgingTime, Question, TurnRules,
    inherit,
};
use ananke_trace::outcome::{Halt, Level, TurnEnd, TurnOutcome};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Change, MessageKind, ResultContent, RunEnd, ToolCall, Trace};

/// The acts of the fake agent in one exchange.
#[derive(Clone, Debug)]
pub(super) enum FakeAct {
    /// Says something and finishes.
    Says(&'static str),
    /// Calls tools, each by its id and name, and finishes.
    Calls(&'static [(&'static str, &'static str)]),
    /// Calls a tool that it executes itself, and finishes.
    Executes(&'static str),
    /// Takes so long.
    Waits(Duration),
    /// Begins to respond, sends comments so many milliseconds after the request, and does not end.
    Stalls(&'static [u64]),
    /// Ends so.
    Ends(RunEnd),
    /// Asks the user, and says the answer.
    Asks,
}

/// An agent that does what is written down, exchange by exchange, in virtual time.
pub(super) struct FakeSession {
    script: std::vec::IntoIter<FakeAct>,
    clock: ManualClock,
    /// Every request so far.
    pub(super) requests: Arc<Mutex<Vec<Action>>>,
}

impl Session for FakeSession {
    fn exchange<'a>(
        &'a mut self,
        request: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>> {
        Box::pin(async move {
            let ended = self.act(request, limits, sink).await;
            sink.wire(self.clock.now(), Wire::Closed);
            Ok(ended)
        })
    }

    fn clock(&self) -> &dyn Clock {
        &self.clock
    }
}

impl FakeSession {
    /// Does the next act of the script as the response to a request. A script that is over goes on with a message.
    async fn act(&mut self, request: Request, limits: &Limits, sink: &mut dyn Sink) -> Ended {
        self.requests.lock().unwrap().push(request.action);
        if limits.cancel.is_cancelled() {
            return Ended::Cancelled;
        }
        sink.wire(self.clock.now(), Wire::Sent { body: b"" });
        let mut changes = vec![Change::RunStarted {
            run_id: None,
            thread_id: None,
            is_replay: false,
        }];
        let mut end = RunEnd::Finished;
        // Most acts are changes, which are reported after the match with the end of the run. An act that times out has none.
        match self.script.next().unwrap_or(FakeAct::Says("…")) {
            FakeAct::Says(text) => changes.extend(message(text.to_owned())),
            FakeAct::Asks => {
                let kind = ServerRequestKind::Elicitation;
                let request = ServerRequest {
                    kind,
                    message: "Sure?".to_owned(),
                    details: json!({}),
                };
                changes.extend(message(format!("{:?}", sink.request(request).await)));
            }
            FakeAct::Calls(calls) => {
                changes.extend(calls.iter().flat_map(|(id, name)| call(id, name)));
            }
            FakeAct::Executes(name) => {
                changes.extend(call("own", name));
                let result = ResultContent::Json(json!("done"));
                changes.push(Change::CallAnswered {
                    id: "own".into(),
                    result,
                    is_error: None,
                });
            }
            FakeAct::Waits(time) => {
                self.clock.advance(time.min(limits.timeout));
                if time > limits.timeout {
                    return Ended::Timeout;
                }
            }
            FakeAct::Stalls(comments) => {
                self.stall(comments, limits.timeout, sink);
                return Ended::Timeout;
            }
            FakeAct::Ends(ended) => end = ended,
        }
        changes.push(Change::RunEnded(end));
        for change in changes {
            if sink.change(self.clock.now(), change).is_break() {
                return Ended::Cancelled;
            }
        }
        Ended::Terminal
    }

    /// Sends one event, and then only comments, each after so many milliseconds, until time is up.
    fn stall(&self, comments: &[u64], timeout: Duration, sink: &mut dyn Sink) {
        let sent = self.clock.now();
        sink.wire(sent, Wire::Frame(b"{}"));
        for after in comments {
            let at = sent.plus(Duration::from_millis(*after));
            sink.wire(at, Wire::Alive);
        }
        self.clock.advance(timeout);
    }
}

/// The changes of a message that the agent sends in one piece.
fn message(text: String) -> [Change<'static>; 3] {
    [
        Change::MessageOpened {
            id: "m".into(),
            role: MessageKind::Assistant,
            subagent: None,
        },
        Change::MessageText {
            id: "m".into(),
            delta: text.into(),
        },
        Change::MessageClosed { id: "m".into() },
    ]
}

fn call(id: &'static str, name: &'static str) -> [Change<'static>; 2] {
    [
        Change::CallOpened {
            id: id.into(),
            name: name.into(),
            subagent: None,
        },
        Change::CallArgsDone { id: id.into() },
    ]
}

/// Gives what it holds; after each turn it finds what `finds` says.
pub(super) struct Inputs {
    pub(super) turns: std::vec::IntoIter<TurnInput>,
    pub(super) finds: TurnReview,
    /// The rules that come with the turn of this index.
    pub(super) rules: Option<(usize, TurnRules)>,
    /// Whether it knows how many are left.
    pub(super) is_counted: bool,
    pub(super) ends: Vec<TurnEnd>,
}

impl Inputs {
    pub(super) fn says(texts: &[&str]) -> Self {
        Self::of(
            texts
                .iter()
                .map(|text| TurnInput::User(UserContent::Text((*text).into())))
                .collect(),
        )
    }

    pub(super) fn of(turns: Vec<TurnInput>) -> Self {
        let turns = turns.into_iter();
        Self {
            turns,
            finds: TurnReview::default(),
            rules: None,
            is_counted: true,
            ends: Vec::new(),
        }
    }
}

impl InputSource for Inputs {
    /// Gives the next turn, with its rules if it is the turn that has some. The number of the turn is that of the ends so far.
    fn next<'a>(
        &'a mut self,
        _: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<NextTurn>, Halt>> {
        let request = |input| TurnRequest {
            id: None,
            input,
            message: MessageId::default(),
            timeout: None,
            context: RequestContext::default(),
            answers: ServerAnswers::default(),
        };
        let rules = self
            .rules
            .take_if(|(index, _)| *index == self.ends.len())
            .map(|(_, rules)| rules);
        let next = self
            .turns
            .next()
            .map(|input| NextTurn::written(request(input), rules));
        Box::pin(std::future::ready(Ok(next)))
    }

    fn review(&mut self, _: &Trace, turn: &TurnOutcome) -> TurnReview {
        self.ends.push(turn.end.clone());
        self.finds.clone()
    }

    fn remaining(&self) -> Option<usize> {
        self.is_counted.then(|| self.turns.len())
    }
}

/// Answers calls to `ask`, and leaves those to `open` open.
#[derive(Debug, Default)]
pub(super) struct Tools {
    pub(super) answered: usize,
}

impl ToolHost for Tools {
    fn handling(&self, tool: &str) -> Handling {
        match tool {
            "ask" => Handling::Answered,
            "open" => Handling::LeftOpen,
            _ => Handling::Agent,
        }
    }

    fn answer<'a>(
        &'a mut self,
        call: &'a ToolCall,
        _: &'a Trace,
    ) -> BoxFuture<'a, Result<ToolAnswer, Halt>> {
        self.answered += 1;
        let answer = ToolAnswer {
            call: call.wire_id.to_string(),
            content: json!("yes"),
            is_error: false,
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

/// Accepts every request.
pub(super) struct Accepts;

impl RequestHost for Accepts {
    fn answer<'a>(
        &'a mut self,
        request: ServerRequest,
        _: &'a Trace,
    ) -> BoxFuture<'a, ServerAnswer> {
        Box::pin(std::future::ready(ServerAnswer::Accepted(json!(
            request.message
        ))))
    }
}

/// Notes the changes, each with its lane.
#[derive(Clone, Default)]
pub(super) struct Notes(pub(super) Arc<Mutex<Vec<String>>>);

impl Observer for Notes {
    fn wire(&mut self, lane: &Lane, _: At, wire: Wire<'_>) {
        self.0.lock().unwrap().push(format!("{lane}: {wire:?}"));
    }

    fn change(&mut self, lane: &Lane, _: At, change: &Change<'_>) {
        self.0.lock().unwrap().push(format!("{lane}: {change:?}"));
    }

    fn fell_silent(&mut self) {
        self.0.lock().unwrap().push("fell silent".to_owned());
    }

    fn hurried(&mut self) {
        self.0.lock().unwrap().push("hurried".to_owned());
    }
}

/// Says this to every question.
pub(super) struct Says(pub(super) Result<Decision, Halt>);

impl Oracle for Says {
    fn decide<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Result<Decision, Halt>> {
        Box::pin(std::future::ready(self.0.clone()))
    }
}

/// A required checkpoint with this assert block.
pub(super) fn checkpoint(id: &str, block: &str, after: &[&str]) -> CompiledCheckpoint {
    ananke_fakes::install();
    let rules = inherit(
        &Block::default(),
        &Block::default(),
        &[compiled(block, Level::Checkpoint)],
    );
    CompiledCheckpoint {
        id: id.to_owned(),
        description: None,
        rules: rules.turns.into_iter().next().unwrap(),
        after: after.iter().map(|id| (*id).to_owned()).collect(),
        is_required: true,
    }
}

/// The rules of a test of two turns with this assert block.
pub(super) fn rules(block: &str) -> Inherited {
    ananke_fakes::install();
    inherit(
        &Block::default(),
        &compiled(block, Level::Test),
        &[Block::default(), Block::default()],
    )
}

/// The assert block that is written as `block` in YAML, compiled as one of `level`. A test file around it has it parsed.
fn compiled(block: &str, level: Level) -> Block {
    let text = format!(
        "version: \"{NEWEST_VERSION}\"\nname: fake\nturns: [{{ user: hi }}]\nassert: {block}\n"
    );
    let source = Arc::new(SourceFile::new("fake.test.yaml", "fake.test.yaml", text));
    let loaded = load::<TestFile>(FileKind::Test, &source, Some(Version::newest())).unwrap();
    let (scope, mut problems) = (Scope::default(), Vec::new());
    let mut interpolation = Interpolation::new(&scope, &source, Mode::Send, &mut problems);
    let compiled = Block::compile(
        &loaded.value.tests[0].assert,
        level,
        None,
        &mut interpolation,
    );
    assert!(problems.is_empty(), "{problems:?}");
    compiled
}

pub(super) fn budget() -> Budget {
    let turn = Limits::new(Duration::from_secs(5), CancellationToken::new());
    Budget {
        turn,
        is_default_timeout: false,
        whole: None,
    }
}

/// A conversation of a test.
pub(super) struct FakeTest {
    pub(super) script: Vec<FakeAct>,
    pub(super) rules: Inherited,
    pub(super) checkpoints: Vec<CompiledCheckpoint>,
    pub(super) oracle: Says,
    pub(super) budget: Budget,
    pub(super) settings: RunSettings,
    pub(super) tools: Tools,
    pub(super) lane: Lane,
    pub(super) notes: Notes,
    pub(super) requests: Arc<Mutex<Vec<Action>>>,
}

impl FakeTest {
    /// A test without rules whose agent acts as `script` says. A unit test changes the fields that it is about.
    pub(super) fn of(script: &[FakeAct]) -> Self {
        Self {
            script: script.to_vec(),
            rules: rules("{}"),
            checkpoints: Vec::new(),
            oracle: Says(Ok(Decision::Confirmed)),
            budget: budget(),
            settings: RunSettings::default(),
            tools: Tools::default(),
            lane: Lane::Agent,
            notes: Notes::default(),
            requests: Arc::default(),
        }
    }

    /// Holds the conversation of the test with `inputs`. The agent, its clock and all hosts are fakes.
    pub(super) async fn hold(&mut self, inputs: &mut Inputs) -> ConversationResult {
        let session = FakeSession {
            script: self.script.clone().into_iter(),
            clock: ManualClock::default(),
            requests: Arc::clone(&self.requests),
        };
        let parts = ConversationParts {
            lane: self.lane.clone(),
            session: Box::new(session),
            trace: Trace::new(json!({})),
            evaluator: Evaluator::start(self.rules.clone(), Redactor::default()).unwrap(),
            checkpoints: Checkpoints::start(
                self.checkpoints.clone(),
                Vec::new(),
                &Redactor::default(),
                &JudgingTime::default(),
            )
            .unwrap(),
            tools: &mut self.tools,
            oracle: &self.oracle,
            requests: &mut Accepts,
            ids: Arc::new(SequentialIds::default()),
            observers: vec![Box::new(self.notes.clone())],
            budget: self.budget.clone(),
            settings: &self.settings,
        };
        converse(parts, inputs).await
    }
}

//! One conversation with a scripted agent.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use regex::Regex;
use serde_json::{Map, Value, json};

use super::{CompiledCall, CompiledRule, CompiledStep};
use crate::error::TargetError;
use crate::limits::Limits;
use crate::session::{Action, Request, Session, SessionOptions};
use crate::sink::{Ended, Sink, Wire};
use ananke_base::context::{At, Clock, ManualClock};
use ananke_base::message::{HistoryMessage, Role};
use ananke_model::variables::{Pattern, Patterns};
use ananke_trace::outcome::CallFailure;
use ananke_trace::trace::{
    Change, Interrupt, MessageKind, ModelUsage, Path, ResultContent, RunEnd, is_same_json,
};

/// The custom event with which an agent declares that it waits for input (SPEC 8).
const WAITS: &str = "awaiting_input";

/// The answer of the agent if no rule answers.
const NOT_UNDERSTOOD: &str = "I do not understand.";

pub(super) struct ScriptedSession {
    options: SessionOptions,
    /// The names of the client-side tools.
    client_tools: HashSet<String>,
    /// The agent's own time: it moves only by `delay_ms`, so that the same script takes the same time everywhere.
    clock: ManualClock,
    state: ScriptedState,
    rules: Vec<RuleMatcher>,
    turn: u64,
    calls: u64,
    messages: u64,
    interrupts: u64,
    /// The steps that follow when the agent gets the answer it waits for.
    paused: Option<Paused>,
    /// Every change sent so far, which a turn that connects replays.
    history: Vec<Change<'static>>,
}

/// The state of the agent.
struct ScriptedState {
    value: Value,
    /// Whether all of it was sent; later only changes are sent.
    is_sent: bool,
}

impl ScriptedState {
    /// Sets keys of the state, and returns the change that the agent sends about it. The first change has the whole state, since
    /// a client has none yet. Later ones have the new keys alone, so that many steps with a large state stay small.
    fn set(&mut self, keys: Map<String, Value>) -> Change<'static> {
        // A state that is not an object has no keys. The new ones replace it.
        let Value::Object(known) = &mut self.value else {
            self.value = Value::Object(keys);
            self.is_sent = true;
            return Change::StateReplaced(self.value.clone());
        };
        let mut added = Vec::new();
        for (key, value) in &keys {
            // A path of JSON Patch escapes these two characters (RFC 6901, 3). `add` also replaces a key that is there.
            let path = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
            added.push(json!({ "op": "add", "path": path, "value": value }));
        }
        known.extend(keys);
        let was_sent = std::mem::replace(&mut self.is_sent, true);
        if was_sent {
            Change::StatePatched(added.into())
        } else {
            Change::StateReplaced(self.value.clone())
        }
    }
}

/// A rule whose patterns are compiled.
struct RuleMatcher {
    user: Option<Arc<Regex>>,
    turn: Option<u64>,
    thread: Option<Arc<Regex>>,
    state: Vec<(Path, Value)>,
    steps: Vec<CompiledStep>,
}

impl RuleMatcher {
    fn new(rule: &CompiledRule, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        Ok(Self {
            user: compiled(rule.when.user.as_ref(), patterns)?,
            turn: rule.when.turn,
            thread: compiled(rule.when.thread.as_ref(), patterns)?,
            state: rule.when.state.clone(),
            steps: rule.steps.clone(),
        })
    }

    /// Whether the rule applies to the current turn of `session`, in which the user's last message is `text`. A condition that
    /// the rule does not have is true.
    fn matches(&self, text: &str, session: &ScriptedSession) -> bool {
        if let Some(user) = &self.user
            && !user.is_match(text)
        {
            return false;
        }
        if let Some(turn) = self.turn
            && turn != session.turn
        {
            return false;
        }
        if let Some(thread) = &self.thread
            && !thread.is_match(&session.options.thread_id)
        {
            return false;
        }
        for (path, expected) in &self.state {
            match path.find(&session.state.value) {
                Some(found) if is_same_json(found, expected) => {}
                // The state has another value at this path, or none.
                Some(_) | None => return false,
            }
        }
        true
    }
}

fn compiled(
    pattern: Option<&Pattern>,
    patterns: &mut Patterns,
) -> Result<Option<Arc<Regex>>, regex::Error> {
    match pattern {
        Some(pattern) => Ok(Some(patterns.compile(pattern)?)),
        None => Ok(None),
    }
}

/// The remaining steps.
#[derive(Default)]
struct Paused {
    resolved: VecDeque<CompiledStep>,
    cancelled: VecDeque<CompiledStep>,
}

impl ScriptedSession {
    /// A conversation that begins with `state`, before its first turn.
    ///
    /// # Errors
    /// If a pattern of a rule cannot be compiled.
    pub(super) fn new(
        options: SessionOptions,
        state: Value,
        rules: &[CompiledRule],
    ) -> Result<Self, regex::Error> {
        // The virtual clock of the agent starts at the real time, and moves only by the delays of the rules.
        let started = options.clock.unix_ms(options.clock.now());
        // Many rules have a pattern in common, so each pattern is compiled once.
        let mut patterns = Patterns::default();
        let mut matchers = Vec::new();
        for rule in rules {
            matchers.push(RuleMatcher::new(rule, &mut patterns)?);
        }
        let tools = options.client_tools.iter();
        let client_tools = tools.map(|tool| tool.name.clone()).collect();
        Ok(Self {
            options,
            client_tools,
            clock: ManualClock::new(started),
            state: ScriptedState {
                value: state,
                is_sent: false,
            },
            rules: matchers,
            turn: 0,
            calls: 0,
            messages: 0,
            interrupts: 0,
            paused: None,
            history: Vec::new(),
        })
    }

    /// The steps of the agent in a turn in which the user's last message is `text`.
    fn answer(&mut self, text: &str) -> VecDeque<CompiledStep> {
        self.turn += 1;
        match self.rules.iter().find(|rule| rule.matches(text, self)) {
            Some(rule) => rule.steps.iter().cloned().collect(),
            None => VecDeque::from([CompiledStep::Say(NOT_UNDERSTOOD.to_owned())]),
        }
    }

    /// The steps that the agent takes in answer to a request.
    fn steps(&mut self, action: &Action) -> VecDeque<CompiledStep> {
        // `paused` has the steps that wait for an answer, if there are any. They are dropped if the user says something else
        // instead.
        let paused = self.paused.take();
        match action {
            Action::User { content, .. } => self.answer(&content.text()),
            Action::Continue => {
                // The history ends with the result of a tool. Rules have patterns for the user's message, which is the last one
                // before.
                let mut newest_first = self.options.history.iter().rev();
                let text = match newest_first.find(|message| message.role == Role::User) {
                    Some(HistoryMessage {
                        content: Some(content),
                        ..
                    }) => content.text().into_owned(),
                    // Without such a message, only rules without a pattern for it apply.
                    Some(_) | None => String::new(),
                };
                self.answer(&text)
            }
            // A turn that connects takes no step: `run` replays the history. A test with a turn of another protocol does not
            // load.
            Action::Connect | Action::Own { .. } => {
                self.turn += 1;
                VecDeque::new()
            }
            // The user has answered the interrupts of the last run. A rule has other steps for an answer that cancels.
            Action::Resume(answers) => {
                self.turn += 1;
                let paused = paused.unwrap_or_default();
                if answers.iter().all(|answer| answer.is_resolved) {
                    paused.resolved
                } else {
                    paused.cancelled
                }
            }
            // The client has answered calls within the same turn, which goes on.
            Action::ToolResults(_) => paused.unwrap_or_default().resolved,
        }
    }

    /// Runs the agent for one request, and reports its changes to `sink`. `Break` has the reason why the run ended, and
    /// `Continue` means that a replay is complete.
    fn run(&mut self, action: &Action, limits: &Limits, sink: &mut dyn Sink) -> ControlFlow<Ended> {
        // Nothing is sent over a connection, but the trace needs the moment at which the exchange began.
        let sent = self.clock.now();
        sink.wire(sent, Wire::Sent { body: &[] });
        let steps = self.steps(action);
        let mut play = Play {
            session: self,
            deadline: sent.plus(limits.timeout),
            limits,
            sink,
        };
        // A client that connects gets all runs so far again. Before the first one, it gets an empty run.
        if *action == Action::Connect && !play.session.history.is_empty() {
            return play.replay();
        }
        play.start()?;
        play.follow(steps)
    }
}

impl Session for ScriptedSession {
    /// Runs the agent for one request. All of it happens in this call: the agent's time is virtual, so nothing is awaited, and
    /// the returned future is ready.
    fn exchange<'a>(
        &'a mut self,
        request: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>> {
        let ended = match self.run(&request.action, limits, sink) {
            ControlFlow::Continue(()) => Ended::Terminal,
            ControlFlow::Break(ended) => ended,
        };
        sink.wire(self.clock.now(), Wire::Closed);
        Box::pin(std::future::ready(Ok(ended)))
    }

    fn clock(&self) -> &dyn Clock {
        &self.clock
    }
}

/// Whether a step is a call to a client-side tool.
fn is_client_side(step: &CompiledStep, client_tools: &HashSet<String>) -> bool {
    match step {
        CompiledStep::Call(call) => call.result.is_none() && client_tools.contains(&call.tool),
        _ => false,
    }
}

/// A run in which the agent does what its rule says.
struct Play<'a> {
    session: &'a mut ScriptedSession,
    deadline: At,
    limits: &'a Limits,
    sink: &'a mut dyn Sink,
}

impl Play<'_> {
    fn start(&mut self) -> ControlFlow<Ended> {
        let options = &self.session.options;
        let change = Change::RunStarted {
            run_id: Some(options.ids.next("run").into()),
            thread_id: Some(Cow::Owned(options.thread_id.clone())),
            is_replay: false,
        };
        self.send(change)
    }

    /// Takes the steps one by one, until the last one or until calls to client-side tools wait for the client, and ends the run.
    fn follow(&mut self, mut steps: VecDeque<CompiledStep>) -> ControlFlow<Ended> {
        let mut waits_for_client = false;
        while let Some(step) = steps.pop_front() {
            let is_client_side = is_client_side(&step, &self.session.client_tools);
            // Calls to client-side tools that follow each other are made in one run, and the client answers them together. Any
            // other step comes after the answers.
            if waits_for_client && !is_client_side {
                steps.push_front(step);
                break;
            }
            waits_for_client |= is_client_side;
            self.step(step, &mut steps)?;
        }
        // A run that waits for the client ends like any other. The client sends its answers in a request of their own, and the
        // remaining steps follow then. There are none for a cancelled answer: only the answer to an interrupt can be one.
        if waits_for_client {
            self.session.paused = Some(Paused {
                resolved: steps,
                cancelled: VecDeque::new(),
            });
        }
        self.end(RunEnd::Finished)
    }

    /// Takes one step of the agent. `rest` are the steps after it, which an interrupt postpones. `Break` ends the run.
    fn step(
        &mut self,
        step: CompiledStep,
        rest: &mut VecDeque<CompiledStep>,
    ) -> ControlFlow<Ended> {
        match step {
            CompiledStep::Say(text) => self.say(text),
            // A question is a message, and a custom event that declares that the agent waits for input.
            CompiledStep::Ask(text) => {
                self.say(text)?;
                self.send(Change::Custom {
                    name: WAITS.into(),
                    value: true.into(),
                })
            }
            CompiledStep::Call(call) => self.call(call),
            CompiledStep::Answer {
                id,
                result,
                failure,
            } => self.answer(id.into(), result, failure),
            CompiledStep::State(keys) => {
                let change = self.session.state.set(keys);
                self.send(change)
            }
            CompiledStep::Think(text) => self.think(text),
            CompiledStep::Custom { name, value } => self.send(Change::Custom {
                name: name.into(),
                value,
            }),
            CompiledStep::Usage(ModelUsage { usage, model }) => {
                let model = model.map(Cow::Owned);
                self.send(Change::Usage { usage, model })
            }
            CompiledStep::Delay(delay) => self.wait(delay),
            CompiledStep::Interrupt {
                interrupt,
                cancelled,
            } => {
                // The run ends here. The remaining steps are kept until the user answers, and those for an answer that cancels.
                self.session.paused = Some(Paused {
                    resolved: std::mem::take(rest),
                    cancelled: cancelled.into(),
                });
                self.interrupt(interrupt)
            }
            CompiledStep::Error { message, code } => self.end(RunEnd::Error { message, code }),
        }
    }

    /// Ends the run.
    fn end(&mut self, end: RunEnd) -> ControlFlow<Ended> {
        self.send(Change::RunEnded(end))?;
        ControlFlow::Break(Ended::Terminal)
    }

    fn interrupt(&mut self, mut interrupt: Interrupt) -> ControlFlow<Ended> {
        self.session.interrupts += 1;
        if interrupt.id.is_empty() {
            interrupt.id = format!("interrupt-{}", self.session.interrupts);
        }
        self.end(RunEnd::Interrupted(vec![interrupt]))
    }

    /// Reports a change, and remembers it for a replay.
    fn send(&mut self, change: Change<'static>) -> ControlFlow<Ended> {
        self.session.history.push(change.clone());
        self.report(change)
    }

    /// Replays the history.
    fn replay(&mut self) -> ControlFlow<Ended> {
        for mut change in self.session.history.clone() {
            if let Change::RunStarted { is_replay, .. } = &mut change {
                *is_replay = true;
            }
            self.report(change)?;
        }
        ControlFlow::Continue(())
    }

    fn report(&mut self, change: Change<'static>) -> ControlFlow<Ended> {
        let now = self.session.clock.now();
        if self.limits.cancel.is_cancelled() || self.sink.change(now, change).is_break() {
            return ControlFlow::Break(Ended::Cancelled);
        }
        ControlFlow::Continue(())
    }

    /// Lets virtual time pass, no further than the turn may take.
    fn wait(&mut self, delay: Duration) -> ControlFlow<Ended> {
        let clock = &self.session.clock;
        let left = self.deadline.since(clock.now());
        clock.advance(delay.min(left));
        if delay > left {
            ControlFlow::Break(Ended::Timeout)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Sends a message of the agent, in the three changes of which every message consists. Its id is its number, so that each run
    /// of a test has the same ids.
    fn say(&mut self, text: String) -> ControlFlow<Ended> {
        self.session.messages += 1;
        let id: Cow<'static, str> = format!("message-{}", self.session.messages).into();
        self.send(Change::MessageOpened {
            id: id.clone(),
            role: MessageKind::Assistant,
            subagent: None,
        })?;
        self.send(Change::MessageText {
            id: id.clone(),
            delta: text.into(),
        })?;
        self.send(Change::MessageClosed { id })
    }

    fn think(&mut self, text: String) -> ControlFlow<Ended> {
        self.session.messages += 1;
        self.send(Change::Reasoning {
            id: Cow::Owned(format!("thoughts-{}", self.session.messages)),
            delta: text.into(),
            subagent: None,
        })
    }

    /// Sends a call to a tool, and its result if the step has one. Without one, a later step or the client answers the call.
    fn call(&mut self, call: CompiledCall) -> ControlFlow<Ended> {
        // Calls with an id of the script are counted too, so that the number of a call is its position.
        self.session.calls += 1;
        let script_id = call.id;
        let id = script_id.unwrap_or_else(|| format!("call-{}", self.session.calls));
        let id: Cow<'static, str> = id.into();
        self.send(Change::CallOpened {
            id: id.clone(),
            name: call.tool.into(),
            subagent: call.subagent.map(Cow::Owned),
        })?;
        if let Some(args) = call.args {
            self.send(Change::CallArgs {
                id: id.clone(),
                delta: args.to_string().into(),
            })?;
        }
        self.send(Change::CallArgsDone { id: id.clone() })?;
        // The delay is the time that the tool takes, and so comes between the call and its result.
        self.wait(call.delay)?;
        match call.result {
            Some(result) => self.answer(id, result, call.failure),
            None => ControlFlow::Continue(()),
        }
    }

    /// Sends the result of a call, and then its failure, if the result reports one: a failure has a result as well.
    fn answer(
        &mut self,
        id: Cow<'static, str>,
        result: Value,
        failure: Option<CallFailure>,
    ) -> ControlFlow<Ended> {
        let result = ResultContent::Json(result);
        self.send(Change::CallAnswered {
            id: id.clone(),
            result,
            // The change after this one reports a failure, and also distinguishes a denied call from a failed one.
            is_error: None,
        })?;
        let Some(failure) = failure else {
            return ControlFlow::Continue(());
        };
        self.send(Change::CallFailed {
            id,
            is_denied: failure == CallFailure::Denied,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_sent_once_and_then_what_changes() {
        let mut state = ScriptedState {
            value: json!({ "a": 1 }),
            is_sent: false,
        };
        let mut set = |keys: Value| match keys {
            Value::Object(keys) => state.set(keys),
            _ => unreachable!("keys are a mapping"),
        };
        assert_eq!(
            set(json!({ "b": 2 })),
            Change::StateReplaced(json!({ "a": 1, "b": 2 }))
        );
        let patch = json!([{ "op": "add", "path": "/c~1d", "value": [3] }, { "op": "add", "path": "/a", "value": 4 }]);
        assert_eq!(
            set(json!({ "c/d": [3], "a": 4 })),
            Change::StatePatched(patch)
        );
        assert_eq!(state.value, json!({ "a": 4, "b": 2, "c/d": [3] }));
    }
}

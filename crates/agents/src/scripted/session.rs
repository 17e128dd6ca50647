//! One conversation with a scripted agent.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use regex::Regex;
use serde_json::{Map, Value, json};

use super::{CompiledRule, CompiledStep};
use crate::error::TargetError;
use crate::limits::Limits;
use crate::session::{Action, Request, Session, SessionOptions};
use crate::sink::{Ended, Sink, Wire};
use ananke_base::context::{At, Clock, ManualClock};
use ananke_base::message::Role;
use ananke_model::variables::Patterns;
use ananke_trace::outcome::CallFailure;
use ananke_trace::trace::{Change, MessageKind, Path, ResultContent, RunEnd, is_same_json};

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
    state: Value,
    rules: Vec<RuleMatcher>,
    turn: u64,
    calls: u64,
    messages: u64,
    interrupts: u64,
    /// The steps that follow when the agent gets the answer it waits for.
    paused: Option<Paused>,
    /// Whether the whole state was sent; later only changes are sent.
    state_is_sent: bool,
    /// Every change sent so far, which a turn that connects replays.
    history: Vec<Change<'static>>,
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
            user: rule
                .when
                .user
                .as_ref()
                .map(|pattern| patterns.compile(pattern))
                .transpose()?,
            turn: rule.when.turn,
            thread: rule
                .when
                .thread
                .as_ref()
                .map(|pattern| patterns.compile(pattern))
                .transpose()?,
            state: rule.when.state.clone(),
            steps: rule.steps.clone(),
        })
    }
}

/// The remaining steps.
#[derive(Default)]
struct Paused {
    resolved: VecDeque<CompiledStep>,
    cancelled: VecDeque<CompiledStep>,
}

impl ScriptedSession {
    /// # Errors
    /// If a pattern of a rule cannot be compiled.
    pub(super) fn new(
        options: SessionOptions,
        state: Value,
        rules: &[CompiledRule],
    ) -> Result<Self, regex::Error> {
        let started = options.clock.unix_ms(options.clock.now());
        let mut patterns = Patterns::default();
        let rules = rules
            .iter()
            .map(|rule| RuleMatcher::new(rule, &mut patterns))
            .collect::<Result<_, _>>()?;
        let client_tools = options
            .client_tools
            .iter()
            .map(|tool| tool.name.clone())
            .collect();
        Ok(Self {
            options,
            client_tools,
            clock: ManualClock::new(started),
            state,
            rules,
            turn: 0,
            calls: 0,
            messages: 0,
            interrupts: 0,
            paused: None,
            state_is_sent: false,
            history: Vec::new(),
        })
    }

    fn answering(&self, text: &str) -> Option<usize> {
        self.rules.iter().position(|rule| {
            rule.user.as_ref().is_none_or(|regex| regex.is_match(text))
                && rule.turn.is_none_or(|turn| turn == self.turn)
                && rule
                    .thread
                    .as_ref()
                    .is_none_or(|regex| regex.is_match(&self.options.thread_id))
                && rule.state.iter().all(|(path, value)| {
                    path.find(&self.state)
                        .is_some_and(|found| is_same_json(found, value))
                })
        })
    }

    /// The steps of the agent in a turn in which the user's last message is `text`.
    fn answer(&mut self, text: &str) -> VecDeque<CompiledStep> {
        self.turn += 1;
        match self.answering(text) {
            Some(rule) => self.rules[rule].steps.iter().cloned().collect(),
            None => VecDeque::from([CompiledStep::Say(NOT_UNDERSTOOD.to_owned())]),
        }
    }

    /// The steps of the agent about a request.
    fn steps(&mut self, action: &Action) -> VecDeque<CompiledStep> {
        let paused = self.paused.take();
        match action {
            Action::User { content, .. } => self.answer(&content.text()),
            Action::Continue => {
                let mut earlier = self.options.history.iter().rev();
                let said = earlier.find(|message| message.role == Role::User);
                let said =
                    said.and_then(|message| Some(message.content.as_ref()?.text().into_owned()));
                self.answer(&said.unwrap_or_default())
            }
            // A test with a turn of another protocol does not load.
            Action::Connect | Action::Own { .. } => {
                self.turn += 1;
                VecDeque::new()
            }
            Action::Resume(answers) => {
                self.turn += 1;
                let paused = paused.unwrap_or_default();
                if answers.iter().all(|answer| answer.is_resolved) {
                    paused.resolved
                } else {
                    paused.cancelled
                }
            }
            Action::ToolResults(_) => paused.unwrap_or_default().resolved,
        }
    }

    fn run(&mut self, action: &Action, limits: &Limits, sink: &mut dyn Sink) -> ControlFlow<Ended> {
        let sent = self.clock.now();
        sink.wire(sent, Wire::Sent { body: &[] });
        let mut steps = self.steps(action);
        let deadline = sent.plus(limits.timeout);
        let mut play = Play {
            clock: &self.clock,
            deadline,
            limits,
            sink,
            history: &mut self.history,
        };
        if *action == Action::Connect && !play.history.is_empty() {
            return play.replay();
        }
        let thread_id = Some(Cow::Owned(self.options.thread_id.clone()));
        let run_id = Some(self.options.ids.next("run").into());
        play.send(Change::RunStarted {
            run_id,
            thread_id,
            is_replay: false,
        })?;
        let mut waits = false;
        while let Some(step) = steps.pop_front() {
            let is_client_side = is_client_side(&step, &self.client_tools);
            if waits && !is_client_side {
                // Calls of the client that follow each other wait for it together.
                steps.push_front(step);
                break;
            }
            waits |= is_client_side;
            match step {
                CompiledStep::Say(text) => {
                    self.messages += 1;
                    play.say(format!("message-{}", self.messages).into(), text)?;
                }
                CompiledStep::Ask(text) => {
                    self.messages += 1;
                    play.say(format!("message-{}", self.messages).into(), text)?;
                    play.send(Change::Custom {
                        name: WAITS.into(),
                        value: true.into(),
                    })?;
                }
                CompiledStep::Call {
                    tool,
                    id,
                    args,
                    result,
                    delay,
                    failure,
                    subagent,
                } => {
                    self.calls += 1;
                    let id: Cow<'static, str> =
                        Cow::Owned(id.unwrap_or_else(|| format!("call-{}", self.calls)));
                    play.call(id.clone(), tool, subagent, args)?;
                    play.wait(delay)?;
                    if let Some(result) = result {
                        play.answer(id, result, failure)?;
                    }
                }
                CompiledStep::Answer {
                    id,
                    result,
                    failure,
                } => play.answer(id.into(), result, failure)?,
                CompiledStep::State(keys) => {
                    let change = set_keys(&mut self.state, keys, &mut self.state_is_sent);
                    play.send(change)?;
                }
                CompiledStep::Think(text) => {
                    self.messages += 1;
                    let id = Cow::Owned(format!("thoughts-{}", self.messages));
                    play.send(Change::Reasoning {
                        id,
                        delta: text.into(),
                        subagent: None,
                    })?;
                }
                CompiledStep::Custom { name, value } => {
                    play.send(Change::Custom {
                        name: name.into(),
                        value,
                    })?;
                }
                CompiledStep::Usage(usage) => play.send(Change::Usage(usage))?,
                CompiledStep::Delay(delay) => play.wait(delay)?,
                CompiledStep::Interrupt {
                    mut interrupt,
                    cancelled,
                } => {
                    self.interrupts += 1;
                    if interrupt.id.is_empty() {
                        interrupt.id = format!("interrupt-{}", self.interrupts);
                    }
                    self.paused = Some(Paused {
                        resolved: steps,
                        cancelled: cancelled.into(),
                    });
                    return play.send(Change::RunEnded(RunEnd::Interrupted(vec![interrupt])));
                }
                CompiledStep::Error { message, code } => {
                    play.send(Change::RunEnded(RunEnd::Error { message, code }))?;
                    return ControlFlow::Break(Ended::Terminal);
                }
            }
        }
        self.paused = waits.then(|| Paused {
            resolved: steps,
            cancelled: VecDeque::new(),
        });
        play.send(Change::RunEnded(RunEnd::Finished))
    }
}

impl Session for ScriptedSession {
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

/// Sets keys of the state, and gives the change that says so: the whole state the first time, later the keys alone, so
/// that many steps take no more than their keys.
fn set_keys(state: &mut Value, keys: Map<String, Value>, is_sent: &mut bool) -> Change<'static> {
    let Value::Object(known) = state else {
        *state = Value::Object(keys);
        *is_sent = true;
        return Change::StateReplaced(state.clone());
    };
    let add = |(key, value): (&String, &Value)| {
        let path = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
        json!({ "op": "add", "path": path, "value": value })
    };
    let patch = keys.iter().map(add).collect();
    known.extend(keys);
    if std::mem::replace(is_sent, true) {
        Change::StatePatched(patch)
    } else {
        Change::StateReplaced(state.clone())
    }
}

/// Whether a step is a call to a client-side tool.
fn is_client_side(step: &CompiledStep, client_tools: &HashSet<String>) -> bool {
    let CompiledStep::Call {
        tool, result: None, ..
    } = step
    else {
        return false;
    };
    client_tools.contains(tool)
}

/// The agent doing what its rule says.
struct Play<'a> {
    clock: &'a ManualClock,
    deadline: At,
    limits: &'a Limits,
    sink: &'a mut dyn Sink,
    history: &'a mut Vec<Change<'static>>,
}

impl Play<'_> {
    /// Reports a change, and remembers it for a replay.
    fn send(&mut self, change: Change<'static>) -> ControlFlow<Ended> {
        self.history.push(change.clone());
        self.report(change)
    }

    /// Replays the history.
    fn replay(&mut self) -> ControlFlow<Ended> {
        for mut change in self.history.clone() {
            if let Change::RunStarted { is_replay, .. } = &mut change {
                *is_replay = true;
            }
            self.report(change)?;
        }
        ControlFlow::Continue(())
    }

    fn report(&mut self, change: Change<'static>) -> ControlFlow<Ended> {
        if self.limits.cancel.is_cancelled()
            || self.sink.change(self.clock.now(), change).is_break()
        {
            return ControlFlow::Break(Ended::Cancelled);
        }
        ControlFlow::Continue(())
    }

    /// Lets virtual time pass, no further than the turn may take.
    fn wait(&mut self, delay: Duration) -> ControlFlow<Ended> {
        let left = self.deadline.since(self.clock.now());
        self.clock.advance(delay.min(left));
        if delay > left {
            ControlFlow::Break(Ended::Timeout)
        } else {
            ControlFlow::Continue(())
        }
    }

    fn say(&mut self, id: Cow<'static, str>, text: String) -> ControlFlow<Ended> {
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

    fn call(
        &mut self,
        id: Cow<'static, str>,
        tool: String,
        subagent: Option<String>,
        args: Option<Value>,
    ) -> ControlFlow<Ended> {
        let subagent = subagent.map(Cow::Owned);
        self.send(Change::CallOpened {
            id: id.clone(),
            name: tool.into(),
            subagent,
        })?;
        if let Some(args) = args {
            self.send(Change::CallArgs {
                id: id.clone(),
                delta: args.to_string().into(),
            })?;
        }
        self.send(Change::CallArgsDone { id })
    }

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
        let (mut state, mut is_sent) = (json!({ "a": 1 }), false);
        let mut set = |keys: Value| match keys {
            Value::Object(keys) => set_keys(&mut state, keys, &mut is_sent),
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
        assert_eq!(state, json!({ "a": 4, "b": 2, "c/d": [3] }));
    }
}

//! What an agent written in YAML needs to know, checked and filled.

use std::time::Duration;

use serde_json::{Map, Value};

use super::settings::{header, optional};
use crate::diagnostic::{Code, Spanned};
use crate::model::{
    ScriptedAnswer, ScriptedCall, ScriptedCustom, ScriptedFailure, ScriptedInterrupt, ScriptedRule,
    ScriptedStep, ScriptedTarget, ScriptedUsage, Text,
};
use crate::outcome::CallFailure;
use crate::trace::{Interrupt, Path, Usage};
use crate::variables::{Filling, Late, Pattern};

/// An agent written in YAML.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedSettings {
    /// The agent's name in reports.
    pub agent: String,
    /// What the conversation's state starts as.
    pub state: Value,
    /// The rules, in order.
    pub rules: Vec<Answering>,
}

/// A rule of a scripted agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Answering {
    /// When it answers.
    pub when: Condition,
    /// What it does.
    pub steps: Vec<Step>,
}

/// When a scripted rule answers; all must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    /// What the user's message must match.
    pub user: Option<Pattern>,
    /// The turn, counted from 1.
    pub turn: Option<u64>,
    /// What the thread id must match.
    pub thread: Option<Pattern>,
    /// What the state must hold.
    pub state: Vec<(Path, Value)>,
}

/// One thing a scripted agent does.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Says this.
    Say(String),
    /// Calls a tool.
    Call {
        /// The tool.
        tool: String,
        /// The call's id, where the script gives one.
        id: Option<String>,
        /// The arguments, where there are any.
        args: Option<Value>,
        /// The result; without one the call stays open.
        result: Option<Value>,
        /// How long it takes.
        delay: Duration,
        /// What its result says that went wrong.
        failure: Option<CallFailure>,
        /// The helper of the agent's own that calls.
        subagent: Option<String>,
    },
    /// Answers an open call.
    Answer {
        /// The call's id.
        id: String,
        /// The result.
        result: Value,
        /// What it says that went wrong.
        failure: Option<CallFailure>,
    },
    /// Sets keys of the state.
    State(Map<String, Value>),
    /// Thinks this.
    Think(String),
    /// Sends an event of the application's own.
    Custom {
        /// Its name.
        name: String,
        /// What it carries.
        value: Value,
    },
    /// Tells what the run took.
    Usage(Usage),
    /// Lets time pass.
    Delay(Duration),
    /// Ends the run until an answer comes; the steps behind it are what the agent does then.
    Interrupt {
        /// The interrupt, without an id where it gets one of its own.
        interrupt: Interrupt,
        /// What the agent does instead where it is called off.
        cancelled: Vec<Step>,
    },
    /// Ends the run with an error.
    Error {
        /// In the agent's words.
        message: String,
        /// A code.
        code: Option<String>,
    },
}

pub(super) fn fill(target: &ScriptedTarget, filling: &mut Filling<'_>) -> Option<ScriptedSettings> {
    let agent = match &target.agent_id {
        Some(text) => filling.text(text).ready(),
        None => Some("scripted".to_owned()),
    };
    // Nothing of these is sent, but what is wrong with them is told all the same.
    let headers: Vec<Option<(String, String)>> =
        target.headers.iter().flatten().map(|(name, text)| header(name, text, filling)).collect();
    let forwarded_props = optional(target.forwarded_props.as_ref(), filling).ready();
    let state = optional(target.state.as_ref(), filling);
    // Every rule is filled, so that every problem is reported.
    let rules: Vec<Option<Answering>> = target.rules.iter().map(|rule| answering(rule, filling)).collect();
    headers.into_iter().collect::<Option<Vec<_>>>()?;
    forwarded_props?;
    Some(ScriptedSettings {
        agent: agent?,
        state: state.ready()?.unwrap_or_else(|| Value::Object(Map::new())),
        rules: rules.into_iter().collect::<Option<_>>()?,
    })
}

fn answering(rule: &ScriptedRule, filling: &mut Filling<'_>) -> Option<Answering> {
    let when = match &rule.when {
        Some(when) => {
            let user = when.user.as_ref().map(|text| filling.pattern(text));
            let turn = when.turn.as_ref().map(|number| filling.number(number));
            let thread = when.thread.as_ref().map(|text| filling.pattern(text));
            let state: Vec<Option<(Path, Value)>> = when
                .state
                .iter()
                .flatten()
                .map(|(path, node)| {
                    let value = filling.json(node).ready();
                    let path = Path::parse(path)
                        .map_err(|error| filling.report(Code::BadValue, path.span, error, None))
                        .ok();
                    path.zip(value)
                })
                .collect();
            condition(Late::optional(user), Late::optional(turn), Late::optional(thread), state)
        }
        None => Some(Condition::default()),
    };
    let steps = steps(&rule.steps, filling);
    Some(Answering { when: when?, steps: steps? })
}

/// Every step is filled, so that every problem is reported.
fn steps(written: &[ScriptedStep], filling: &mut Filling<'_>) -> Option<Vec<Step>> {
    let steps: Vec<Option<Step>> = written.iter().map(|one| step(one, filling)).collect();
    steps.into_iter().collect()
}

fn interrupt(written: &ScriptedInterrupt, filling: &mut Filling<'_>) -> Option<Step> {
    let mut text = |text: &Option<Text>| Late::optional(text.as_ref().map(|text| filling.text(text))).ready();
    let (id, reason) = (text(&written.id), text(&written.reason));
    let (message, call) = (text(&written.message), text(&written.call));
    let cancelled = steps(written.cancelled.as_deref().unwrap_or_default(), filling);
    let interrupt =
        Interrupt { id: id?.unwrap_or_default(), reason: reason?, message: message?, call: call? };
    Some(Step::Interrupt { interrupt, cancelled: cancelled? })
}

fn condition(
    user: Late<Option<Pattern>>,
    turn: Late<Option<u64>>,
    thread: Late<Option<Pattern>>,
    state: Vec<Option<(Path, Value)>>,
) -> Option<Condition> {
    let state = state.into_iter().collect::<Option<_>>();
    Some(Condition { user: user.ready()?, turn: turn.ready()?, thread: thread.ready()?, state: state? })
}

fn what_failed(failure: &Spanned<ScriptedFailure>) -> CallFailure {
    match failure.value {
        ScriptedFailure::Failed => CallFailure::Failed,
        ScriptedFailure::Denied => CallFailure::Denied,
    }
}

fn step(step: &ScriptedStep, filling: &mut Filling<'_>) -> Option<Step> {
    Some(match step {
        ScriptedStep::Say(text) => Step::Say(filling.text(text).ready()?),
        ScriptedStep::Call(ScriptedCall { tool, id, args, result, delay_ms, failure, subagent }) => {
            let tool = filling.text(tool);
            let id = Late::optional(id.as_ref().map(|id| filling.text(id)));
            let args = optional(args.as_ref(), filling);
            let result = optional(result.as_ref(), filling);
            let delay = Late::optional(delay_ms.as_ref().map(|number| filling.number(number)));
            let delay = Duration::from_millis(delay.ready()?.unwrap_or_default());
            let subagent = Late::optional(subagent.as_ref().map(|name| filling.text(name)));
            if let (Some(failure), Late::Ready(None)) = (failure, &result) {
                let message = "`failure` is about a result, and the call has none";
                let help = Some("add the `result` in which the call failed or was denied".to_owned());
                filling.report(Code::Contradiction, failure.span, message, help);
            }
            let failure = failure.as_ref().map(what_failed);
            let (args, result, subagent) = (args.ready()?, result.ready()?, subagent.ready()?);
            Step::Call { tool: tool.ready()?, id: id.ready()?, args, result, delay, failure, subagent }
        }
        ScriptedStep::Answer(ScriptedAnswer { id, result, failure }) => {
            let (id, result) = (filling.text(id), filling.json(result));
            let failure = failure.as_ref().map(what_failed);
            Step::Answer { id: id.ready()?, result: result.ready()?, failure }
        }
        ScriptedStep::State(node) => {
            let Value::Object(keys) = filling.json(node).ready()? else {
                filling.report(Code::WrongType, node.span, "`state` sets keys, expected a mapping", None);
                return None;
            };
            Step::State(keys)
        }
        ScriptedStep::Think(text) => Step::Think(filling.text(text).ready()?),
        ScriptedStep::Custom(ScriptedCustom { name, value }) => {
            let (name, value) = (filling.text(name), optional(value.as_ref(), filling));
            Step::Custom { name: name.ready()?, value: value.ready()?.unwrap_or_default() }
        }
        ScriptedStep::Usage(ScriptedUsage { input_tokens, output_tokens, total_tokens }) => {
            let numbers = [input_tokens, output_tokens, total_tokens];
            let numbers =
                numbers.map(|number| Late::optional(number.as_ref().map(|number| filling.number(number))));
            let [input, output, total] = numbers.map(Late::ready);
            Step::Usage(Usage::reported(input?, output?, total?))
        }
        ScriptedStep::DelayMs(number) => Step::Delay(Duration::from_millis(filling.number(number).ready()?)),
        ScriptedStep::Interrupt(written) => interrupt(written, filling)?,
        ScriptedStep::Error(error) => {
            let (message, code) =
                (filling.text(&error.message), error.code.as_ref().map(|code| filling.text(code)));
            Step::Error { message: message.ready()?, code: Late::optional(code).ready()? }
        }
    })
}

//! From the keys of an agent written in YAML to the agent.

use std::time::Duration;

use serde_json::{Map, Value};

use super::config::ScriptedConfig;
use super::rules::{
    ScriptedAnswer, ScriptedCall, ScriptedCustom, ScriptedFailure, ScriptedInterrupt, ScriptedRule,
    ScriptedStep, ScriptedUsage,
};
use super::script::{CompiledRule, CompiledStep, Condition};
use super::target::ScriptedTarget;
use crate::http::headers;
use ananke_base::diagnostic::{Code, Spanned};
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf, Pattern};
use ananke_trace::outcome::CallFailure;
use ananke_trace::trace::{Interrupt, Path, Usage};

/// Checks and fills a target; `None` if something is known later or was reported.
pub(super) fn compile(
    target: &ScriptedConfig,
    interpolation: &mut Interpolation<'_>,
) -> Option<ScriptedTarget> {
    let agent = match &target.agent_id {
        Some(text) => interpolation.text(text).ok(),
        None => Some("scripted".to_owned()),
    };
    // These are not sent, but are checked.
    let headers = headers(target.headers.as_ref(), interpolation);
    let forwarded_props = interpolation
        .optional_json(target.forwarded_props.as_ref())
        .ok();
    let state = interpolation.optional_json(target.state.as_ref());
    // Every rule is filled, so that every problem is reported.
    let rules: Vec<Option<CompiledRule>> = target
        .rules
        .iter()
        .map(|written| rule(written, interpolation))
        .collect();
    headers?;
    forwarded_props?;
    Some(ScriptedTarget::new(
        agent?,
        state.ok()?.unwrap_or_else(|| Value::Object(Map::new())),
        rules.into_iter().collect::<Option<_>>()?,
    ))
}

fn rule(rule: &ScriptedRule, interpolation: &mut Interpolation<'_>) -> Option<CompiledRule> {
    let when = match &rule.when {
        Some(when) => {
            let user = when.user.as_ref().map(|text| interpolation.pattern(text));
            let turn = when
                .turn
                .as_ref()
                .map(|number| interpolation.number(number));
            let thread = when.thread.as_ref().map(|text| interpolation.pattern(text));
            let state: Vec<Option<(Path, Value)>> = when
                .state
                .iter()
                .flatten()
                .map(|(path, node)| {
                    let value = interpolation.json(node).ok();
                    let path = Path::parse(path)
                        .map_err(|error| {
                            interpolation.report(Code::BadValue, path.span, error, None)
                        })
                        .ok();
                    path.zip(value)
                })
                .collect();
            condition(
                user.transpose(),
                turn.transpose(),
                thread.transpose(),
                state,
            )
        }
        None => Some(Condition::default()),
    };
    let steps = steps(&rule.steps, interpolation);
    Some(CompiledRule {
        when: when?,
        steps: steps?,
    })
}

/// Every step is filled, so that every problem is reported.
fn steps(
    written: &[ScriptedStep],
    interpolation: &mut Interpolation<'_>,
) -> Option<Vec<CompiledStep>> {
    let steps: Vec<Option<CompiledStep>> =
        written.iter().map(|one| step(one, interpolation)).collect();
    steps.into_iter().collect()
}

fn interrupt(
    written: &ScriptedInterrupt,
    interpolation: &mut Interpolation<'_>,
) -> Option<CompiledStep> {
    let mut text = |text: &Option<Text>| {
        text.as_ref()
            .map(|text| interpolation.text(text))
            .transpose()
            .ok()
    };
    let (id, reason) = (text(&written.id), text(&written.reason));
    let (message, call) = (text(&written.message), text(&written.call));
    let cancelled = steps(
        written.cancelled.as_deref().unwrap_or_default(),
        interpolation,
    );
    let interrupt = Interrupt {
        id: id?.unwrap_or_default(),
        reason: reason?,
        message: message?,
        call: call?,
    };
    Some(CompiledStep::Interrupt {
        interrupt,
        cancelled: cancelled?,
    })
}

fn condition(
    user: Leaf<Option<Pattern>>,
    turn: Leaf<Option<u64>>,
    thread: Leaf<Option<Pattern>>,
    state: Vec<Option<(Path, Value)>>,
) -> Option<Condition> {
    let state = state.into_iter().collect::<Option<_>>();
    Some(Condition {
        user: user.ok()?,
        turn: turn.ok()?,
        thread: thread.ok()?,
        state: state?,
    })
}

fn what_failed(failure: &Spanned<ScriptedFailure>) -> CallFailure {
    match failure.value {
        ScriptedFailure::Failed => CallFailure::Failed,
        ScriptedFailure::Denied => CallFailure::Denied,
    }
}

fn step(step: &ScriptedStep, interpolation: &mut Interpolation<'_>) -> Option<CompiledStep> {
    Some(match step {
        ScriptedStep::Say(text) => CompiledStep::Say(interpolation.text(text).ok()?),
        ScriptedStep::Ask(text) => CompiledStep::Ask(interpolation.text(text).ok()?),
        ScriptedStep::Call(ScriptedCall {
            tool,
            id,
            args,
            result,
            delay_ms,
            failure,
            subagent,
        }) => {
            let tool = interpolation.text(tool);
            let id = id.as_ref().map(|id| interpolation.text(id)).transpose();
            let args = interpolation.optional_json(args.as_ref());
            let result = interpolation.optional_json(result.as_ref());
            let delay = delay_ms
                .as_ref()
                .map(|number| interpolation.number(number))
                .transpose();
            let delay = Duration::from_millis(delay.ok()?.unwrap_or_default());
            let subagent = subagent
                .as_ref()
                .map(|name| interpolation.text(name))
                .transpose();
            if let (Some(failure), Ok(None)) = (failure, &result) {
                let message = "`failure` is about a result, and the call has none";
                let help =
                    Some("add the `result` in which the call failed or was denied".to_owned());
                interpolation.report(Code::Contradiction, failure.span, message, help);
            }
            let failure = failure.as_ref().map(what_failed);
            let (args, result, subagent) = (args.ok()?, result.ok()?, subagent.ok()?);
            CompiledStep::Call {
                tool: tool.ok()?,
                id: id.ok()?,
                args,
                result,
                delay,
                failure,
                subagent,
            }
        }
        ScriptedStep::Answer(ScriptedAnswer {
            id,
            result,
            failure,
        }) => {
            let (id, result) = (interpolation.text(id), interpolation.json(result));
            let failure = failure.as_ref().map(what_failed);
            CompiledStep::Answer {
                id: id.ok()?,
                result: result.ok()?,
                failure,
            }
        }
        ScriptedStep::State(node) => {
            let Value::Object(keys) = interpolation.json(node).ok()? else {
                interpolation.report(
                    Code::WrongType,
                    node.span,
                    "`state` sets keys, expected a mapping",
                    None,
                );
                return None;
            };
            CompiledStep::State(keys)
        }
        ScriptedStep::Think(text) => CompiledStep::Think(interpolation.text(text).ok()?),
        ScriptedStep::Custom(ScriptedCustom { name, value }) => {
            let (name, value) = (
                interpolation.text(name),
                interpolation.optional_json(value.as_ref()),
            );
            CompiledStep::Custom {
                name: name.ok()?,
                value: value.ok()?.unwrap_or_default(),
            }
        }
        ScriptedStep::Usage(ScriptedUsage {
            input_tokens,
            output_tokens,
            total_tokens,
        }) => {
            let numbers = [input_tokens, output_tokens, total_tokens];
            let numbers = numbers.map(|number| {
                number
                    .as_ref()
                    .map(|number| interpolation.number(number))
                    .transpose()
            });
            let [input, output, total] = numbers.map(Leaf::ok);
            CompiledStep::Usage(Usage::reported(input?, output?, total?))
        }
        ScriptedStep::DelayMs(number) => {
            CompiledStep::Delay(Duration::from_millis(interpolation.number(number).ok()?))
        }
        ScriptedStep::Interrupt(written) => interrupt(written, interpolation)?,
        ScriptedStep::Error(error) => {
            let (message, code) = (
                interpolation.text(&error.message),
                error.code.as_ref().map(|code| interpolation.text(code)),
            );
            CompiledStep::Error {
                message: message.ok()?,
                code: code.transpose().ok()?,
            }
        }
    })
}

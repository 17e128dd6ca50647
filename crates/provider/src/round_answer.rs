//! An answer of a script, as the answer of a model to one request.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::compiled_script::{AnswerTokens, CompiledModelReply, CompiledModelStep};
use crate::mint::Mint;
use crate::offered::check_offered;
use crate::problem::ModelProblem;
use ananke_agents::{Round, RoundPart};
use ananke_model::model::ModelFinish;
use ananke_trace::trace::{FinishReason, ModelAnswer, ModelRequest, ModelToolCall, Usage};

/// An answer that is ready to be sent.
#[derive(Debug, PartialEq)]
pub(crate) struct RoundAnswer {
    /// The answer in its parts, as the APIs write it.
    pub(crate) round: Round,
    /// The answer in the form that all APIs have in common.
    pub(crate) answer: ModelAnswer,
    /// The time that passes in the test before it.
    pub(crate) delay: Duration,
}

/// Makes the answer of `reply` to `request`.
///
/// # Errors
/// If the request does not offer a call of it.
pub(crate) fn round_answer(
    reply: &CompiledModelReply,
    request: &ModelRequest,
    mint: &mut Mint,
) -> Result<RoundAnswer, ModelProblem> {
    // Every call is checked before an id is used, so that a problem changes nothing.
    for step in &reply.steps {
        if let CompiledModelStep::Call {
            tool,
            args,
            is_undeclared: false,
        } = step
        {
            check_offered(tool, args, request)?;
        }
    }
    let mut made = RoundAnswer {
        round: Round::default(),
        answer: ModelAnswer::default(),
        delay: Duration::ZERO,
    };
    for step in &reply.steps {
        made.add(step, mint);
    }
    made.round.usage = Some(sent_usage(made.answer.usage));
    made.round.finish = made.answer.finish;
    Ok(made)
}

impl RoundAnswer {
    fn add(&mut self, step: &CompiledModelStep, mint: &mut Mint) {
        match step {
            CompiledModelStep::Say(text) => {
                self.answer.text.push_str(text);
                self.part(RoundPart::Text(text.clone()));
            }
            CompiledModelStep::Think(text) => {
                self.answer.reasoning.push_str(text);
                self.part(RoundPart::Reasoning(text.clone()));
            }
            CompiledModelStep::Call { tool, args, .. } => self.call(mint.call(), tool, args),
            CompiledModelStep::Usage(tokens) => self.answer.usage = Some(usage(*tokens)),
            CompiledModelStep::Finish(finish) => self.answer.finish = finish_reason(*finish),
            CompiledModelStep::Delay(delay) => self.delay += *delay,
        }
    }

    fn call(&mut self, id: String, tool: &str, args: &Map<String, Value>) {
        let args = Value::Object(args.clone());
        let place = self.round.calls;
        self.round.calls += 1;
        self.part(RoundPart::Call(place, id.clone(), tool.to_owned()));
        self.part(RoundPart::Arguments(place, args.to_string()));
        self.answer.calls.push(ModelToolCall {
            id,
            tool: tool.to_owned(),
            args,
        });
    }

    /// Nothing sleeps for a script, so that every part comes at once.
    fn part(&mut self, part: RoundPart) {
        self.round.parts.push((Duration::ZERO, part));
    }
}

/// The tokens as they are sent. No provider omits them, so that an agent may rely on numbers; what is not known is 0 there, and stays
/// unknown to rules.
fn sent_usage(known: Option<Usage>) -> Usage {
    let usage = known.unwrap_or_default();
    let input = usage.input.whole().unwrap_or_default();
    let output = usage.output.whole().unwrap_or_default();
    Usage::reported(Some(input), Some(output), None)
}

fn usage(tokens: AnswerTokens) -> Usage {
    Usage::reported(tokens.input, tokens.output, None)
}

fn finish_reason(finish: ModelFinish) -> FinishReason {
    match finish {
        ModelFinish::Length => FinishReason::Length,
        ModelFinish::Filter => FinishReason::Filter,
        ModelFinish::Refusal => FinishReason::Refusal,
    }
}

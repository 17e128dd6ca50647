//! The script of a model, with every variable filled: what its lane answers with.

use std::time::Duration;

use serde_json::{Map, Value};

use ananke_base::diagnostic::{Code, Place};
use ananke_base::source::FreeMap;
use ananke_model::model::{
    EmbeddingAnswers, ModelApiName, ModelFinish, ModelRule, ModelScript, ModelScriptCall,
    ModelStep, ModelTokens, ModelWhen, ReplySteps, Text,
};
use ananke_model::variables::Patterns;
use ananke_model::variables::{Fill, Interpolation, Leaf, Pattern, fill_all};

/// The script of a model, with every variable filled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompiledModelScript {
    /// The answers in their order.
    pub replies: Vec<CompiledModelReply>,
    /// The answers whose order is not fixed.
    pub rules: Vec<CompiledModelRule>,
    /// The answer to a request for embeddings.
    pub embeddings: EmbeddingAnswers,
}

/// A rule of a written model, with every variable filled.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledModelRule {
    /// The condition under which it answers.
    pub when: ModelCondition,
    /// The answer.
    pub reply: CompiledModelReply,
}

/// The condition of a rule; all of it must be true.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelCondition {
    /// The number of the call, from 1.
    pub call: Option<u64>,
    /// The pattern for the last message of the user.
    pub user: Option<Pattern>,
    /// The pattern for the instructions.
    pub system: Option<Pattern>,
    /// The tools with new results, each with the pattern for its result.
    pub result: Vec<(String, Pattern)>,
    /// The names of tools that are offered.
    pub offered: Vec<String>,
    /// The pattern for the name of the model.
    pub model: Option<Pattern>,
    /// The API of the request.
    pub wire: Option<ModelApiName>,
}

/// The tokens of an answer, with every variable filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerTokens {
    /// Tokens that the model read, if the script says so.
    pub input: Option<u64>,
    /// Tokens that the model wrote, if the script says so.
    pub output: Option<u64>,
}

/// An answer of a model, with every variable filled.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledModelReply {
    /// The parts, in their order.
    pub steps: Vec<CompiledModelStep>,
    /// Whether it need not be used.
    pub is_optional: bool,
    /// The place where it is written.
    pub place: Place,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum CompiledModelStep {
    /// Text.
    Say(String),
    /// Reasoning.
    Think(String),
    /// A call to a tool.
    Call {
        /// The tool's name.
        tool: String,
        /// The arguments; empty if there are none.
        args: Map<String, Value>,
        /// Whether the request need not offer it like this.
        is_undeclared: bool,
    },
    /// Tokens that rules and costs count.
    Usage(AnswerTokens),
    /// The reason for the end.
    Finish(ModelFinish),
    /// Time that passes.
    Delay(Duration),
}

impl Fill<CompiledModelReply> for ReplySteps {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<CompiledModelReply> {
        let mut steps = Vec::new();
        let mut is_optional = false;
        let mut not_ready = None;
        // All steps are filled before the first error returns, so that the problems of all are reported.
        for step in &self.value {
            is_optional |= step.value.optional == Some(true);
            if let Err(error) = fill_step(&step.value, &mut steps, interpolation) {
                not_ready.get_or_insert(error);
            }
        }
        if let Some(error) = not_ready {
            return Err(error);
        }
        if !has_answer(&steps) {
            let message = "the answer is empty: it has neither text, nor a call, nor an end";
            let help = "add `say`, `call` or `finish`".to_owned();
            return Err(interpolation.report(Code::MissingKey, self.span, message, Some(help)));
        }
        Ok(CompiledModelReply {
            steps,
            is_optional,
            place: interpolation.place(self.span),
        })
    }
}

/// Whether steps are an answer that a model can give.
fn has_answer(steps: &[CompiledModelStep]) -> bool {
    for step in steps {
        match step {
            CompiledModelStep::Say(_)
            | CompiledModelStep::Call { .. }
            | CompiledModelStep::Finish(_) => return true,
            CompiledModelStep::Think(_)
            | CompiledModelStep::Usage(_)
            | CompiledModelStep::Delay(_) => {}
        }
    }
    false
}

/// Adds the parts of a step, each filled, in the order in which a model makes them.
fn fill_step(
    step: &ModelStep,
    steps: &mut Vec<CompiledModelStep>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<()> {
    // All keys are filled before the first error returns, so that the problems of all are reported.
    let delay: Leaf<Option<Duration>> = step.delay_ms.fill(interpolation);
    let think: Leaf<Option<String>> = step.think.fill(interpolation);
    let say: Leaf<Option<String>> = step.say.fill(interpolation);
    let call: Leaf<Option<CompiledModelStep>> = step.call.fill(interpolation);
    let usage: Leaf<Option<AnswerTokens>> = step.usage.fill(interpolation);
    // A model thinks before it says something, and says something before it calls tools.
    if let Some(delay) = delay? {
        steps.push(CompiledModelStep::Delay(delay));
    }
    if let Some(think) = think? {
        steps.push(CompiledModelStep::Think(think));
    }
    if let Some(say) = say? {
        steps.push(CompiledModelStep::Say(say));
    }
    steps.extend(call?);
    if let Some(usage) = usage? {
        steps.push(CompiledModelStep::Usage(usage));
    }
    if let Some(finish) = step.finish {
        steps.push(CompiledModelStep::Finish(finish));
    }
    Ok(())
}

impl Fill<CompiledModelStep> for ModelScriptCall {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<CompiledModelStep> {
        let tool: Leaf<String> = self.tool.fill(interpolation);
        let args: Leaf<Option<Map<String, Value>>> = self.args.fill(interpolation);
        Ok(CompiledModelStep::Call {
            tool: tool?,
            args: args?.unwrap_or_default(),
            is_undeclared: self.undeclared == Some(true),
        })
    }
}

impl Fill<AnswerTokens> for ModelTokens {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<AnswerTokens> {
        let input: Leaf<Option<u64>> = self.input.fill(interpolation);
        let output: Leaf<Option<u64>> = self.output.fill(interpolation);
        Ok(AnswerTokens {
            input: input?,
            output: output?,
        })
    }
}

impl Fill<CompiledModelScript> for ModelScript {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<CompiledModelScript> {
        // Both lists are filled before the first error returns, so that the problems of both are reported.
        let replies: Leaf<Option<Vec<CompiledModelReply>>> = self.replies.fill(interpolation);
        let rules: Leaf<Option<Vec<CompiledModelRule>>> = self.rules.fill(interpolation);
        Ok(CompiledModelScript {
            replies: replies?.unwrap_or_default(),
            rules: rules?.unwrap_or_default(),
            embeddings: self.embeddings.unwrap_or_default(),
        })
    }
}

impl Fill<ModelCondition> for ModelWhen {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<ModelCondition> {
        // All keys are filled before the first error returns, so that the problems of all are reported.
        let call: Leaf<Option<u64>> = self.call.fill(interpolation);
        let user: Leaf<Option<Pattern>> = self.user.fill(interpolation);
        let system: Leaf<Option<Pattern>> = self.system.fill(interpolation);
        let model: Leaf<Option<Pattern>> = self.model.fill(interpolation);
        let offered: Leaf<Option<Vec<String>>> = self.offered.fill(interpolation);
        let result = match &self.result {
            Some(written) => fill_results(written, interpolation),
            None => Ok(Vec::new()),
        };
        Ok(ModelCondition {
            call: call?,
            user: user?,
            system: system?,
            result: result?,
            offered: offered?.unwrap_or_default(),
            model: model?,
            wire: self.wire,
        })
    }
}

fn fill_results(
    written: &FreeMap<Text>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Vec<(String, Pattern)>> {
    fill_all(written, |(tool, pattern)| {
        Ok((tool.value.clone(), pattern.fill(interpolation)?))
    })
}

impl Fill<CompiledModelRule> for ModelRule {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<CompiledModelRule> {
        // Both are filled before the first error returns, so that the problems of both are reported.
        let when: Leaf<Option<ModelCondition>> = self.when.fill(interpolation);
        let reply: Leaf<CompiledModelReply> = self.reply.fill(interpolation);
        let mut reply = reply?;
        reply.is_optional |= self.optional == Some(true);
        Ok(CompiledModelRule {
            when: when?.unwrap_or_default(),
            reply,
        })
    }
}

/// Patterns of a script are compiled here, because rules have many in common.
///
/// # Errors
/// If one of them cannot be compiled.
pub(crate) fn start_patterns(script: &mut CompiledModelScript) -> Result<(), regex::Error> {
    let mut patterns = Patterns::default();
    for rule in &mut script.rules {
        let when = &mut rule.when;
        let written = [&mut when.user, &mut when.system, &mut when.model];
        for pattern in written.into_iter().flatten() {
            pattern.start(&mut patterns)?;
        }
        for (_, pattern) in &mut when.result {
            pattern.start(&mut patterns)?;
        }
    }
    Ok(())
}

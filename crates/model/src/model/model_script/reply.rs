//! An answer of a scripted model: its steps, as they are written and as they are filled.

use std::time::Duration;

use ananke_derive::Fill;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::{Number, OneOrMany, Since, Text};
use crate::variables::{Fill, Interpolation, Leaf};
use ananke_base::diagnostic::{Code, Place, Spanned};
use ananke_base::source::Node;

/// An answer of a scripted model: one step, or several in their order.
pub type ModelReply = Spanned<OneOrMany<Spanned<ModelStep>>>;

/// A step of a scripted model's answer. Each of its keys is a part of the answer: reasoning comes first, then text, then the call.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = one_part)]
pub struct ModelStep {
    /// Text for the agent.
    pub say: Option<Text>,
    /// A call to a tool of the agent. Several steps with `call` are calls in parallel.
    #[schemars(example = serde_json::json!({ "tool": "charge_card", "args": { "amount": 89.5 } }))]
    pub call: Option<Spanned<ModelScriptCall>>,
    /// Reasoning, which is not part of the text.
    pub think: Option<Text>,
    /// The tokens of the answer.
    #[schemars(example = serde_json::json!({ "input": 1200, "output": 31 }))]
    pub usage: Option<ModelTokens>,
    /// The reason for the end of the answer, if it is not complete.
    pub finish: Option<ModelFinish>,
    /// Advances the clock of the test, in milliseconds. Nothing sleeps.
    pub delay_ms: Option<Number>,
    /// Whether the answer need not be used (default `false`).
    pub optional: Option<bool>,
}

/// The parts of an answer, of which a step has at least one.
const PARTS: [&str; 6] = ["say", "call", "think", "usage", "finish", "delay_ms"];

fn one_part(schema: &mut Schema) {
    let mut forms = Vec::new();
    for part in PARTS {
        forms.push(serde_json::json!({ "required": [part] }));
    }
    schema.insert("anyOf".to_owned(), forms.into());
}

/// A call to a tool that a scripted model asks for. It has no result: the agent's own code gives it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct ModelScriptCall {
    /// The tool's name. The request has to offer it.
    pub tool: Text,
    /// The arguments (default: none). They have to match the schema that the request offers.
    #[serde(default, deserialize_with = "crate::model::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub args: Option<Node>,
    /// Whether the model may make this call although the request does not offer it like this (default `false`).
    pub undeclared: Option<bool>,
}

/// The tokens of an answer of a scripted model.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
#[fill(into = ScriptedTokens)]
pub struct ModelTokens {
    /// Tokens that the model read.
    pub input: Option<Number>,
    /// Tokens that the model wrote.
    pub output: Option<Number>,
}

/// The reason for the end of an answer that is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ModelFinish {
    /// The most tokens were reached.
    Length,
    /// A filter of the provider ended it.
    Filter,
    /// The model refuses; `say` has its words.
    Refusal,
}

/// The tokens of an answer, with every variable filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptedTokens {
    /// Tokens that the model read, if they are scripted.
    pub input: Option<u64>,
    /// Tokens that the model wrote, if they are scripted.
    pub output: Option<u64>,
}

/// An answer of a scripted model, with every variable filled.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledModelReply {
    /// The parts, in their order.
    pub steps: Vec<CompiledModelStep>,
    /// Whether it need not be used.
    pub is_optional: bool,
    /// The place where it is written.
    pub place: Place,
}

/// A part of a scripted model's answer.
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
    /// The tokens.
    Usage(ScriptedTokens),
    /// The reason for the end.
    Finish(ModelFinish),
    /// Time that passes.
    Delay(Duration),
}

impl Fill<CompiledModelReply> for ModelReply {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<CompiledModelReply> {
        let mut steps = Vec::new();
        let mut is_optional = false;
        let mut not_ready = None;
        // All steps are filled before the first error returns, so that the problems of all are reported.
        for step in &self.value {
            is_optional |= step.value.optional == Some(true);
            if let Err(error) = step.value.fill_into(&mut steps, interpolation) {
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

impl ModelStep {
    /// Adds the parts of the step, each filled, in the order in which a model makes them.
    fn fill_into(
        &self,
        steps: &mut Vec<CompiledModelStep>,
        interpolation: &mut Interpolation<'_>,
    ) -> Leaf<()> {
        // All keys are filled before the first error returns, so that the problems of all are reported.
        let delay: Leaf<Option<Duration>> = self.delay_ms.fill(interpolation);
        let think: Leaf<Option<String>> = self.think.fill(interpolation);
        let say: Leaf<Option<String>> = self.say.fill(interpolation);
        let call: Leaf<Option<CompiledModelStep>> = self.call.fill(interpolation);
        let usage: Leaf<Option<ScriptedTokens>> = self.usage.fill(interpolation);
        steps.extend(delay?.map(CompiledModelStep::Delay));
        steps.extend(think?.map(CompiledModelStep::Think));
        steps.extend(say?.map(CompiledModelStep::Say));
        steps.extend(call?);
        steps.extend(usage?.map(CompiledModelStep::Usage));
        steps.extend(self.finish.map(CompiledModelStep::Finish));
        Ok(())
    }
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

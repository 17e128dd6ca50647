//! An answer in the script of a model: its steps, as they are written.

use schemars::{JsonSchema, Schema};
use serde::Deserialize;

use crate::model::{Number, OneOrMany, Since, Text};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::Node;

/// An answer in the script of a model: one step, or several in their order.
pub type ReplySteps = Spanned<OneOrMany<Spanned<ModelStep>>>;

/// A step of an answer in the script of a model. Each of its keys is a part of the answer: reasoning comes first, then text, then the call.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = one_part)]
pub struct ModelStep {
    /// Text that the agent may show to its user.
    pub say: Option<Text>,
    /// A call to a tool of the agent. Several steps with `call` are calls in parallel.
    #[schemars(example = serde_json::json!({ "tool": "charge_card", "args": { "amount": 89.5 } }))]
    pub call: Option<Spanned<ModelScriptCall>>,
    /// Reasoning, which is not part of the text.
    pub think: Option<Text>,
    /// The tokens of the answer, for rules and costs. Without them, neither is known.
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

/// A call to a tool in the script of a model. It has no result: the agent's own code gives it.
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

/// The tokens of an answer in the script of a model.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
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
    /// The answer was truncated, because it reached the most tokens.
    Length,
    /// A filter of the provider ended it.
    Filter,
    /// The model refuses; `say` has its words.
    Refusal,
}

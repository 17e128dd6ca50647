//! The script of a model: its replies in order, and its rules for answers whose order is not fixed.

use ananke_derive::Fill;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply::{CompiledModelReply, ModelReply};
use crate::model::{Number, Since, Text};
use crate::variables::{Fill, Interpolation, Leaf, Pattern, fill_all};
use ananke_base::source::FreeMap;

/// The answers of a model instead of a provider's.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    transform = Since("1.4"),
    extend("anyOf" = serde_json::json!([{ "required": ["replies"] }, { "required": ["rules"] }]))
)]
#[fill(into = CompiledModelScript)]
pub struct ModelScript {
    /// Answers in their order: the first call to the model gets the first one. All of them must be used.
    #[schemars(
        length(min = 1),
        example = serde_json::json!([{ "call": { "tool": "charge_card", "args": { "amount": 89.5 } } }, { "say": "You paid 89.50 EUR." }])
    )]
    #[fill(default)]
    pub replies: Option<Vec<ModelReply>>,
    /// Answers for agents whose order is not fixed: the first rule whose `when` matches answers. It uses no reply.
    #[schemars(
        length(min = 1),
        example = serde_json::json!([{ "when": { "user": "(?i)pay" }, "do": [{ "call": { "tool": "charge_card" } }] }])
    )]
    #[fill(default)]
    pub rules: Option<Vec<ModelRule>>,
    /// The answer to a request for embeddings: vectors made from a hash of each text (default), or an error.
    #[fill(with = fill_embeddings, default)]
    pub embeddings: Option<EmbeddingAnswers>,
}

/// The answer of a scripted model to a request for embeddings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EmbeddingAnswers {
    /// Vectors made from a hash of each text.
    #[default]
    Hash,
    /// An error of the test.
    Miss,
}

/// A rule of a scripted model: when it answers, and how.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct ModelRule {
    /// Conditions that must all match. Without `when` the rule answers every call.
    #[schemars(example = serde_json::json!({ "user": "(?i)pay", "call": 1 }))]
    pub when: Option<ModelWhen>,
    /// The answer: one step, or several in their order.
    #[serde(rename = "do")]
    #[schemars(example = serde_json::json!([{ "say": "You paid 89.50 EUR." }]))]
    pub reply: ModelReply,
    /// Whether the rule need not be used (default `false`).
    pub optional: Option<bool>,
}

/// The condition under which a rule of a scripted model answers.
#[derive(Clone, Debug, Default, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
#[fill(into = ModelCondition)]
pub struct ModelWhen {
    /// The number of the call to the model, from 1.
    pub call: Option<Number>,
    /// Regular expression for the last message of the user.
    #[schemars(example = "(?i)pay")]
    pub user: Option<Text>,
    /// Regular expression for the instructions of the system and the developer.
    pub system: Option<Text>,
    /// Tools whose results came since the model's last answer, each with a regular expression for the result.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({ "charge_card": "declined" }))]
    #[fill(default, with = fill_results)]
    pub result: Option<FreeMap<Text>>,
    /// Names of tools that the request must offer.
    #[schemars(example = serde_json::json!(["charge_card"]))]
    #[fill(default)]
    pub offered: Option<Vec<Text>>,
    /// Regular expression for the name of the model.
    #[schemars(example = "^gpt-5")]
    pub model: Option<Text>,
    /// The API of the request.
    pub wire: Option<ModelApiName>,
}

/// An API of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Fill, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[fill(into = ModelApiName)]
pub enum ModelApiName {
    /// Chat completions.
    Chat,
    /// The Responses API.
    Responses,
    /// The Messages API.
    Messages,
}

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

/// A rule of a scripted model, with every variable filled.
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

impl ModelApiName {
    /// The end of the path that requests of it are posted to.
    pub fn path(self) -> &'static str {
        match self {
            Self::Chat => "/chat/completions",
            Self::Responses => "/responses",
            Self::Messages => "/messages",
        }
    }
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature of all that fills"
)]
fn fill_embeddings(
    written: &EmbeddingAnswers,
    _: &mut Interpolation<'_>,
) -> Leaf<EmbeddingAnswers> {
    Ok(*written)
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

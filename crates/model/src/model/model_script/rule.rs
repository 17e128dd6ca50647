//! The script of a model: its replies in order, and its rules for answers whose order is not fixed.

use schemars::JsonSchema;
use serde::Deserialize;

use super::reply::ReplySteps;
use crate::model::{Number, Since, Text};
use ananke_base::source::FreeMap;

/// The answers of a model instead of a provider's.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    transform = Since("1.4"),
    extend("anyOf" = serde_json::json!([{ "required": ["replies"] }, { "required": ["rules"] }]))
)]
pub struct ModelScript {
    /// Answers in their order: the first call to the model gets the first one. All of them must be used.
    #[schemars(
        length(min = 1),
        example = serde_json::json!([{ "call": { "tool": "charge_card", "args": { "amount": 89.5 } } }, { "say": "You paid 89.50 EUR." }])
    )]
    pub replies: Option<Vec<ReplySteps>>,
    /// Answers for agents whose order is not fixed: the first rule whose `when` matches answers. It uses no reply.
    #[schemars(
        length(min = 1),
        example = serde_json::json!([{ "when": { "user": "(?i)pay" }, "do": [{ "call": { "tool": "charge_card" } }] }])
    )]
    pub rules: Option<Vec<ModelRule>>,
    /// The answer to a request for embeddings: vectors made from a hash of each text (default), or an error.
    pub embeddings: Option<EmbeddingAnswers>,
}

/// The answer to a request for embeddings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EmbeddingAnswers {
    /// Vectors made from a hash of each text.
    #[default]
    Hash,
    /// None: the test ends with an error.
    Miss,
}

/// A rule in the script of a model: when it answers, and how.
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
    pub reply: ReplySteps,
    /// Whether the rule need not be used (default `false`).
    pub optional: Option<bool>,
}

/// The condition under which a rule in the script of a model answers.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
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
    pub result: Option<FreeMap<Text>>,
    /// Names of tools that the request must offer.
    #[schemars(example = serde_json::json!(["charge_card"]))]
    pub offered: Option<Vec<Text>>,
    /// Regular expression for the name of the model.
    #[schemars(example = "^gpt-5")]
    pub model: Option<Text>,
    /// The API by which the agent asks.
    pub wire: Option<ModelApiName>,
}

/// An API by which agents ask models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ModelApiName {
    /// `POST /chat/completions`.
    Chat,
    /// `POST /responses`.
    Responses,
    /// `POST /messages`.
    Messages,
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

//! The rules about the requests of an agent to its model.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{CostLimit, Count, FormsSince, Limit, OneOrMany, Short, Since, Text, Toggle};
use ananke_base::diagnostic::{Span, Spanned};
use ananke_base::source::{FreeMap, Node};

/// An example in the schema.
const OFFERED_TOOLS: [&str; 1] = ["charge_card"];
/// An example in the schema.
const HIDDEN_TOOLS: [&str; 1] = ["delete_order"];

/// Rules about the requests of the agent to its model, for agents whose model is one of `models`. A request that is repeated
/// after an error is an attempt of the same call.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = FormsSince("1.4"))]
pub struct ModelRules {
    /// The model that the rules are about: a key of `models`. Default: all models.
    #[schemars(example = &"planner")]
    pub of_model: Option<Text>,
    /// The number of calls to the model in a turn; on a test or target in the whole test.
    #[schemars(example = 2)]
    pub calls: Option<Spanned<Toggle<Short<Count>>>>,
    /// Maximum number of calls to the model in a turn; on a test or target in the whole test.
    #[schemars(example = 5)]
    pub max_calls: Option<Spanned<Limit>>,
    /// Maximum number of requests, with those that the agent repeats; counted in the same way.
    #[schemars(example = serde_json::json!({"max": 4}))]
    pub attempts: Option<Spanned<Toggle<MostRequests>>>,
    /// What the messages of each request must and must not contain: a mapping, or a list of them.
    #[schemars(example = serde_json::json!({"of": "system", "contains": "Never charge twice"}))]
    pub prompt: Option<Spanned<Toggle<OneOrMany<Spanned<PromptRules>>>>>,
    /// The tools that the requests must and must not offer to the model.
    #[schemars(example = serde_json::json!({"require": ["charge_card"], "max": 12}))]
    pub offered: Option<Spanned<Toggle<OfferedRules>>>,
    /// The parameters that each request must contain, by the API's names (partial match). The innermost level that writes them
    /// decides.
    #[schemars(
        with = "Option<Toggle<serde_json::Map<String, serde_json::Value>>>",
        example = serde_json::json!({"temperature": 0})
    )]
    pub params: Option<Spanned<Toggle<FreeMap<Node>>>>,
    /// Maximum number of calls with the same request. Parameters, and ids of calls, are not compared.
    #[schemars(example = serde_json::json!({"max": 1}))]
    pub same_request: Option<Spanned<Toggle<MostRequests>>>,
    /// Limits of the tokens that scripts or recordings report, and of their cost.
    #[schemars(example = serde_json::json!({"max_input_tokens": 4_000}))]
    pub usage: Option<Spanned<Toggle<ModelUsageLimits>>>,
    /// Maximum number of characters in the messages of each request.
    #[schemars(example = 20_000)]
    pub max_prompt_chars: Option<Spanned<Limit>>,
}

/// A number of requests.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct MostRequests {
    /// Maximum number in a turn; on a test or target in the whole test.
    #[schemars(example = 4)]
    pub max: Spanned<Limit>,
}

/// What the messages of requests must and must not contain.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct PromptRules {
    /// Which messages of a request (default: all).
    #[schemars(example = &"system")]
    pub of: Option<Spanned<PromptOf>>,
    /// Literal texts that must all occur.
    #[schemars(example = &"Never charge twice")]
    pub contains: Option<Spanned<OneOrMany<Text>>>,
    /// Literal texts that must not occur in any request.
    #[schemars(example = &"4242 4242")]
    pub not_contains: Option<Spanned<OneOrMany<Text>>>,
    /// Regular expressions that must all match in a message.
    #[schemars(example = &"(?i)never charge")]
    pub must_match: Option<Spanned<OneOrMany<Text>>>,
    /// Regular expressions that must not match in any message of any request.
    #[schemars(example = &"sk-[a-z0-9]{20}")]
    pub must_not_match: Option<Spanned<OneOrMany<Text>>>,
    /// Which requests must contain the texts: every one (default), or any. What must not occur must not occur in any.
    #[serde(rename = "in")]
    #[schemars(example = &"any")]
    pub which: Option<Spanned<WhichRequests>>,
}

/// The messages of a request that a rule looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum PromptOf {
    /// All messages, with the earlier answers of the model and its calls.
    #[default]
    All,
    /// The instructions of the system and of the developer.
    System,
    /// The messages of the user.
    User,
    /// The results of tools.
    Results,
    /// The last message.
    Last,
}

/// The requests that must satisfy a requirement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WhichRequests {
    /// Every request.
    #[default]
    Every,
    /// At least one.
    Any,
}

/// The tools that requests offer to the model.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = FormsSince("1.4"))]
pub struct OfferedRules {
    /// Tools that must be offered, by exact name.
    #[schemars(example = OFFERED_TOOLS)]
    pub require: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// Tools that no request may offer, by exact name.
    #[schemars(example = HIDDEN_TOOLS)]
    pub forbid: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// Maximum number of tools that a request may offer.
    #[schemars(example = 12)]
    pub max: Option<Spanned<Limit>>,
    /// Which requests must offer the tools of `require`: every one (default), or any.
    #[serde(rename = "in")]
    #[schemars(example = &"any")]
    pub which: Option<Spanned<WhichRequests>>,
}

/// Limits of what calls to a model use in a turn; on a test or target in the whole test.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct ModelUsageLimits {
    /// Maximum number of tokens that the model may read.
    #[schemars(example = 4_000)]
    pub max_input_tokens: Option<Spanned<Limit>>,
    /// Maximum number of tokens that the model may write.
    #[schemars(example = 500)]
    pub max_output_tokens: Option<Spanned<Limit>>,
    /// Maximum cost of the tokens in US dollars, by the `prices` of the config.
    #[schemars(example = 0.02)]
    pub max_cost_usd: Option<Spanned<CostLimit>>,
}

impl PromptRules {
    /// The name and the place of the first setting that no rule of the entry uses.
    pub fn unused_setting(&self) -> Option<(&'static str, Span)> {
        let has_requirement = self.contains.is_some() || self.must_match.is_some();
        if let Some(which) = &self.which
            && !has_requirement
        {
            return Some(("in", which.span));
        }
        let has_rule =
            has_requirement || self.not_contains.is_some() || self.must_not_match.is_some();
        match &self.of {
            Some(of) if !has_rule => Some(("of", of.span)),
            _ => None,
        }
    }
}

//! What happens in which order: the steps of a walk over calls, results and messages.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Text;
use super::since::Since;
use crate::diagnostic::Spanned;
use crate::source::{FreeMap, Node};

/// The expected order of calls, results and messages. Each step is one of them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct SequenceRule {
    /// How events are matched against the steps.
    pub mode: SequenceMode,
    /// The steps, at most 200. `exact`, `any_order` and `only` look only at the kinds that their steps name: calls,
    /// results, messages of the agent, messages of the user.
    #[schemars(length(min = 1), example = serde_json::json!([{"call": "validate_cart"}, {"result": "validate_cart", "match": "ok"}, {"says": "(?i)shipping"}]))]
    pub steps: Vec<Spanned<SequenceStep>>,
}

/// How events are matched against the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SequenceMode {
    /// Exactly these steps, in this order.
    Exact,
    /// These steps in this order; others may happen in between.
    InOrder,
    /// Exactly these steps, in any order.
    AnyOrder,
    /// These steps in any order; others may happen too.
    AtLeast,
    /// Only these steps, each any number of times, including zero.
    Only,
}

/// A step: exactly one of `call`, `result` and `says`, and the keys that belong to it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct SequenceStep {
    /// A call to this tool, by exact name.
    #[schemars(example = &"charge_card")]
    pub call: Option<Text>,
    /// With `call`: what its arguments must contain (partial match for mappings, element-wise for lists).
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"currency": "EUR"}))]
    pub args: Option<Node>,
    /// With `call`: argument name or path (`user.name`, `items[0].id`) to regular expression; all must match.
    #[schemars(example = serde_json::json!({"amount": "^10"}))]
    pub args_match: Option<FreeMap<Text>>,
    /// The result of a call to this tool, by exact name.
    #[schemars(example = &"charge_card")]
    pub result: Option<Text>,
    /// With `result`: regular expression for the result.
    #[serde(rename = "match")]
    #[schemars(example = &"paid")]
    pub matches: Option<Text>,
    /// With `result`: whether it must be an error (`true`) or must not be (`false`).
    pub is_error: Option<Spanned<bool>>,
    /// A message: regular expression for its text.
    #[schemars(example = &"(?i)shipping")]
    pub says: Option<Text>,
    /// With `says`: the sender of the message (default `assistant`).
    pub role: Option<Spanned<MessageRole>>,
    /// Whether the step may be missing (default false); with `exact`, `in_order` and `any_order`. With `in_order`,
    /// anything that matches this step and no other must happen at this position.
    pub optional: Option<Spanned<bool>>,
}

/// The sender of the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum MessageRole {
    /// The agent.
    #[default]
    Assistant,
    /// The user: what the test sends.
    User,
}

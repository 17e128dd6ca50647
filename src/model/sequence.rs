//! What happens in which order: the steps of a walk over calls, results and messages.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Text;
use super::since::Since;
use crate::diagnostic::Spanned;
use crate::source::{FreeMap, Node};

/// Steps, and how what the agent does must go with them. Each step is one call, one result or one message.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct SequenceRule {
    /// How what happens must go with the steps.
    pub mode: SequenceMode,
    /// The steps, at most 200. A mode that allows nothing else looks only at what its steps name: calls, results,
    /// messages of the agent, messages of the user.
    #[schemars(length(min = 1), example = serde_json::json!([{"call": "validate_cart"}, {"result": "validate_cart", "match": "ok"}, {"says": "(?i)shipping"}]))]
    pub steps: Vec<Spanned<SequenceStep>>,
}

/// How what happens must go with the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SequenceMode {
    /// These and nothing else, in this order.
    Exact,
    /// These in this order; others may come between them.
    InOrder,
    /// These and nothing else, in any order.
    AnyOrder,
    /// These in any order; others may come too.
    AtLeast,
    /// Nothing but these: each as often as it likes, or never.
    Only,
}

/// A step: exactly one of `call`, `result` and `says`, with the keys that go with it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct SequenceStep {
    /// A call of this tool, by its exact name.
    #[schemars(example = &"charge_card")]
    pub call: Option<Text>,
    /// With `call`: what its arguments must hold, of a mapping the keys that are written, of a list every entry in its order.
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"currency": "EUR"}))]
    pub args: Option<Node>,
    /// With `call`: argument name or path (`user.name`, `items[0].id`) to regex; all must match.
    #[schemars(example = serde_json::json!({"amount": "^10"}))]
    pub args_match: Option<FreeMap<Text>>,
    /// The result of a call of this tool, by its exact name.
    #[schemars(example = &"charge_card")]
    pub result: Option<Text>,
    /// With `result`: a regex that the result must match somewhere.
    #[serde(rename = "match")]
    #[schemars(extend("format" = "regex"), example = &"paid")]
    pub matches: Option<Text>,
    /// With `result`: whether it must be an error (`true`), or none (`false`).
    pub is_error: Option<Spanned<bool>>,
    /// A message: a regex that its text must match somewhere.
    #[schemars(extend("format" = "regex"), example = &"(?i)shipping")]
    pub says: Option<Text>,
    /// With `says`: whose message it is (default `assistant`).
    pub role: Option<Spanned<MessageRole>>,
    /// Whether the step may be left out (default false), with `exact`, `in_order` and `any_order`. With `in_order` it must
    /// come at its place where something comes that fits it and no other step.
    pub optional: Option<Spanned<bool>>,
}

/// Whose message it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum MessageRole {
    /// The agent's.
    #[default]
    Assistant,
    /// The user's: what the test sends.
    User,
}

//! The order in which things must happen: the steps of a walk over calls, results and messages.

use schemars::JsonSchema;
use serde::Deserialize;

use super::since::Since;
use super::step::StepKeys;
use ananke_base::diagnostic::Spanned;

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

/// A step of a sequence.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct SequenceStep {
    /// What it is.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub keys: StepKeys,
    /// Whether the step may be missing (default false); with `exact`, `in_order` and `any_order`. With `in_order`,
    /// anything that matches this step and no other must happen at this position.
    pub optional: Option<Spanned<bool>>,
}

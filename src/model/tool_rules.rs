//! What must hold of tool calls.

use schemars::JsonSchema;
use serde::Deserialize;

use super::call_selector::CallSelector;
use super::scalars::{Limit, Number, Text};
use super::since::Since;
use super::toggle::Toggle;
use crate::diagnostic::Spanned;
use crate::source::FreeMap;

/// Rules about tool calls. A call counts from its start, with or without a result.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"))]
pub struct ToolRules {
    /// Tools that must not be called at all, by exact name.
    #[schemars(example = ["delete_order"])]
    pub forbid: Option<Spanned<Toggle<Vec<Text>>>>,
    /// Calls that must happen.
    pub require: Option<Spanned<Toggle<Vec<Spanned<Require>>>>>,
    /// Calls that must not happen: each entry forbids the calls that satisfy all its conditions.
    pub forbid_calls: Option<Spanned<Toggle<Vec<Spanned<ForbidCalls>>>>>,
    /// The only tools that may be called, by exact name; where several levels say so, those that all of them name. An empty list allows none.
    #[schemars(extend("x-since" = "1.3"), example = ["validate_cart", "charge_card"])]
    pub allow_only: Option<Spanned<Toggle<Vec<Text>>>>,
    /// How many calls there may be on a turn, and on a test or target in the test as a whole.
    #[schemars(extend("x-since" = "1.3"))]
    pub max_calls: Option<Spanned<Limit>>,
    /// Whether calls that helpers of the agent's own make count for the rules of this block (default `include`).
    #[schemars(extend("x-since" = "1.3"))]
    pub subagents: Option<Spanned<Subagents>>,
}

/// Whether calls of subagents count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Subagents {
    /// Like calls of the agent itself.
    Include,
    /// As if they had not happened.
    Exclude,
}

/// A call that must happen. The tool's name and the conditions select calls; without `count` one must be selected.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"))]
pub struct Require {
    /// Which calls are meant.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub calls: CallSelector,
    /// How many selected calls there must be. Without it at least one.
    pub count: Option<Spanned<Count>>,
    /// No call selected by name and arguments may have an argument that matches here. An argument that is not there passes.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({"amount": "^-"}))]
    pub args_not_match: Option<FreeMap<Text>>,
    /// No call selected by name and arguments may have a result that matches this regex. No result passes.
    #[schemars(extend("format" = "regex"), example = "error|failed")]
    pub result_not_match: Option<Text>,
    /// Every selected call needs an earlier call of this tool, in the same turn or one before it.
    pub after: Option<Text>,
    /// Every selected call needs a call of this tool that was answered before it began, in the same turn or one before it.
    #[schemars(extend("x-since" = "1.3"))]
    pub after_result: Option<Text>,
}

/// How many: `exact`, or `min` and `max`, whose bounds are included.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"))]
pub struct Count {
    /// Exactly this many; stands alone.
    pub exact: Option<Number>,
    /// At least this many.
    pub min: Option<Number>,
    /// At most this many.
    pub max: Option<Number>,
}

/// Calls that must not happen: those that satisfy all conditions given here.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ForbidCalls {
    /// Which calls are meant.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub calls: CallSelector,
    /// Only calls whose arguments do not match: none of them, also where the argument is not there.
    #[schemars(example = serde_json::json!({"currency": "^EUR$"}))]
    pub args_not_match: Option<FreeMap<Text>>,
    /// Only calls with a result that does not match this regex.
    #[schemars(extend("format" = "regex"), example = &"^\\{")]
    pub result_not_match: Option<Text>,
}

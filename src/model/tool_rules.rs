//! What must hold of tool calls.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Limit, Number, Switch, Text};
use crate::diagnostic::Spanned;
use crate::source::{FreeMap, Node};

/// Rules about tool calls. A call counts from its start, with or without a result.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolRules {
    /// Tools that must not be called at all, by exact name.
    #[schemars(extend("x-since" = "1.0"), example = ["delete_order"])]
    pub forbid: Option<Spanned<Switch<Vec<Text>>>>,
    /// Calls that must happen.
    #[schemars(extend("x-since" = "1.0"))]
    pub require: Option<Spanned<Switch<Vec<Spanned<Require>>>>>,
    /// Calls that must not happen: each entry forbids the calls that satisfy all its conditions.
    #[schemars(extend("x-since" = "1.0"))]
    pub forbid_calls: Option<Spanned<Switch<Vec<Spanned<ForbidCalls>>>>>,
    /// The only tools that may be called, by exact name; where several levels say so, those that all of them name. An empty list allows none.
    #[schemars(extend("x-since" = "1.3"), example = ["validate_cart", "charge_card"])]
    pub allow_only: Option<Spanned<Switch<Vec<Text>>>>,
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
pub struct Require {
    /// The tool's exact name. An entry has this or `name_match`.
    #[schemars(extend("x-since" = "1.0"))]
    pub name: Option<Text>,
    /// Instead of `name`: a regex that the tool's name matches somewhere.
    #[schemars(extend("x-since" = "1.3", "format" = "regex"), example = &"^cart_")]
    pub name_match: Option<Text>,
    /// How many selected calls there must be. Without it at least one.
    #[schemars(extend("x-since" = "1.0"))]
    pub count: Option<Spanned<Count>>,
    /// Selects the calls whose arguments hold all of this: of a mapping the keys that are written, of a list every entry in its order.
    #[serde(default, deserialize_with = "super::leaf::optional_mapping")]
    #[schemars(extend("x-since" = "1.3"), with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"currency": "EUR", "card": {"type": "debit"}}))]
    pub args: Option<Node>,
    /// Selects the calls whose arguments match: argument name or path (`user.name`, `items[0].id`) to regex; all must match.
    #[schemars(extend("x-since" = "1.0"), example = serde_json::json!({"amount": "^10", "items[0].id": "sku-.*"}))]
    pub args_match: Option<FreeMap<Text>>,
    /// No call selected by name and arguments may have an argument that matches here. An argument that is not there passes.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({"amount": "^-"}))]
    pub args_not_match: Option<FreeMap<Text>>,
    /// Selects the calls whose result holds all of this, any JSON value. A text is compared with the text of the result.
    #[schemars(extend("x-since" = "1.3"), with = "Option<serde_json::Value>", example = serde_json::json!({"status": "paid"}))]
    pub result: Option<Node>,
    /// Selects the calls whose result matches this regex somewhere. No result is no match.
    #[schemars(extend("x-since" = "1.0", "format" = "regex"))]
    pub result_match: Option<Text>,
    /// No call selected by name and arguments may have a result that matches this regex. No result passes.
    #[schemars(extend("x-since" = "1.0", "format" = "regex"), example = "error|failed")]
    pub result_not_match: Option<Text>,
    /// Whether `args` and `result` are all there may be (default false: there may be more keys).
    #[schemars(extend("x-since" = "1.3"))]
    pub exact: Option<Spanned<bool>>,
    /// Selects the calls with a result that is an error (`true`), or with one that is none (`false`).
    #[schemars(extend("x-since" = "1.3"))]
    pub is_error: Option<bool>,
    /// Selects the calls that have come this far.
    #[schemars(extend("x-since" = "1.3"))]
    pub status: Option<Spanned<CallStatus>>,
    /// Every selected call needs an earlier call of this tool, in the same turn or one before it.
    #[schemars(extend("x-since" = "1.0"))]
    pub after: Option<Text>,
    /// Every selected call needs a call of this tool that was answered before it began, in the same turn or one before it.
    #[schemars(extend("x-since" = "1.3"))]
    pub after_result: Option<Text>,
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CallStatus {
    /// It has no result when the level that wrote the rule ends.
    Pending,
    /// It has a result, and nobody said no to it.
    Executed,
    /// Somebody said no to it.
    Denied,
}

/// How many: `exact`, or `min` and `max`, whose bounds are included.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// Exactly this many; stands alone.
    #[schemars(extend("x-since" = "1.0"))]
    pub exact: Option<Number>,
    /// At least this many.
    #[schemars(extend("x-since" = "1.0"))]
    pub min: Option<Number>,
    /// At most this many.
    #[schemars(extend("x-since" = "1.0"))]
    pub max: Option<Number>,
}

/// Calls that must not happen: those that satisfy all conditions given here.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForbidCalls {
    /// The tool's exact name. An entry has this or `name_match`.
    #[schemars(extend("x-since" = "1.0"))]
    pub name: Option<Text>,
    /// Instead of `name`: a regex that the tool's name matches somewhere.
    #[schemars(extend("x-since" = "1.3", "format" = "regex"), example = &"^delete_")]
    pub name_match: Option<Text>,
    /// Only calls whose arguments hold all of this: of a mapping the keys that are written, of a list every entry in its order.
    #[serde(default, deserialize_with = "super::leaf::optional_mapping")]
    #[schemars(extend("x-since" = "1.3"), with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"dry_run": false}))]
    pub args: Option<Node>,
    /// Only calls whose arguments match: argument name or path to regex; all must match.
    #[schemars(extend("x-since" = "1.0"))]
    pub args_match: Option<FreeMap<Text>>,
    /// Only calls whose arguments do not match: none of them, also where the argument is not there.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({"currency": "^EUR$"}))]
    pub args_not_match: Option<FreeMap<Text>>,
    /// Only calls with a result that holds all of this, any JSON value. A text is compared with the text of the result.
    #[schemars(extend("x-since" = "1.3"), with = "Option<serde_json::Value>")]
    pub result: Option<Node>,
    /// Only calls with a result that matches this regex somewhere.
    #[schemars(extend("x-since" = "1.0", "format" = "regex"), example = "declined|insufficient")]
    pub result_match: Option<Text>,
    /// Only calls with a result that does not match this regex.
    #[schemars(extend("x-since" = "1.3", "format" = "regex"), example = &"^\\{")]
    pub result_not_match: Option<Text>,
    /// Whether `args` and `result` are all there may be (default false: there may be more keys).
    #[schemars(extend("x-since" = "1.3"))]
    pub exact: Option<Spanned<bool>>,
    /// Only calls with a result that is an error (`true`), or with one that is none (`false`).
    #[schemars(extend("x-since" = "1.3"))]
    pub is_error: Option<bool>,
    /// Only calls that have come this far.
    #[schemars(extend("x-since" = "1.3"))]
    pub status: Option<Spanned<CallStatus>>,
}

//! What must hold: the same block on a target, a test and a turn.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Limit, Number, OneOrMany, OutcomeRule, SnapshotRule, Text};
use crate::diagnostic::Spanned;
use crate::source::{FreeMap, Node};

/// What must hold. Written on a target, a test or a turn; inner levels inherit what outer ones say.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssertBlock {
    /// Blocks of the config's `assertions`, by their names: their rules stand before those of this block, in order, as if
    /// they were written here.
    #[schemars(extend("x-since" = "1.3"), length(min = 1), example = &["no_errors"])]
    pub extends: Option<Vec<Text>>,
    /// Which tools the agent must and must not call.
    #[schemars(extend("x-since" = "1.0"))]
    pub tools: Option<ToolRules>,
    /// How long the agent may take.
    #[schemars(extend("x-since" = "1.0"))]
    pub timing: Option<TimingLimits>,
    /// What the agent must and must not say.
    #[schemars(extend("x-since" = "1.0"))]
    pub text: Option<TextRules>,
    /// What must hold of the agent's state.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!([{"path": "cart.items", "equals": 2}]))]
    pub state: Option<Vec<Spanned<ValueRule>>>,
    /// How the turn must end, and on a test or target the last turn. An error that is expected here is none.
    #[schemars(extend("x-since" = "1.3"), example = &"interrupted")]
    pub outcome: Option<Spanned<OutcomeRule>>,
    /// How many tokens the agent may take.
    #[schemars(extend("x-since" = "1.3"))]
    pub usage: Option<UsageLimits>,
    /// Compares what the agent did with a committed file: on a turn what it did in it, on a test or target the whole
    /// test. `true`, a name for the file, or a mapping; `false` switches an inherited one off, and leaves a turn out.
    #[schemars(extend("x-since" = "1.3"), example = true)]
    pub snapshot: Option<Spanned<SnapshotRule>>,
}

/// What a JSON value must be: exactly one of `equals`, `match`, `type`, `exists` and `schema`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueRule {
    /// Where the value stands (`cart.total`, `items[0].id`); without it the whole is meant.
    #[schemars(extend("x-since" = "1.3"), example = "items[0].id")]
    pub path: Option<Text>,
    /// The value must be this one; the order of keys does not matter.
    #[schemars(extend("x-since" = "1.3"), with = "Option<serde_json::Value>")]
    pub equals: Option<Node>,
    /// A regex that the value must match somewhere: a string as it is, any other value as compact JSON.
    #[serde(rename = "match")]
    #[schemars(extend("x-since" = "1.3", "format" = "regex"), example = "^sku-")]
    pub matches: Option<Text>,
    /// The type the value must have.
    #[serde(rename = "type")]
    #[schemars(extend("x-since" = "1.3"))]
    pub value_type: Option<ValueType>,
    /// Whether anything must stand there; `null` is something.
    #[schemars(extend("x-since" = "1.3"))]
    pub exists: Option<bool>,
    /// A JSON Schema that the value must fit.
    #[schemars(extend("x-since" = "1.3"), with = "Option<serde_json::Value>", example = serde_json::json!({"type": "array", "minItems": 1}))]
    pub schema: Option<Node>,
    /// Turns the rule round (default false). What is not there then passes.
    #[schemars(extend("x-since" = "1.3"))]
    pub not: Option<bool>,
    /// What a failure says, instead of the rule's own words.
    #[schemars(extend("x-since" = "1.3"), example = "the cart must not be empty")]
    pub message: Option<Text>,
}

/// A type of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ValueType {
    /// Text.
    String,
    /// Any number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A list.
    Array,
    /// A mapping.
    Object,
    /// `null`.
    Null,
}

/// Limits in tokens, as the agent tells them; equal to the limit passes. `false` switches an inherited limit off.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UsageLimits {
    /// How many tokens the models may read in a turn, and on a test or target in the test as a whole.
    #[schemars(extend("x-since" = "1.3"))]
    pub max_input_tokens: Option<Spanned<Limit>>,
    /// How many tokens the models may write; counted likewise.
    #[schemars(extend("x-since" = "1.3"))]
    pub max_output_tokens: Option<Spanned<Limit>>,
    /// How many tokens the models may read and write together; counted likewise.
    #[schemars(extend("x-since" = "1.3"))]
    pub max_total_tokens: Option<Spanned<Limit>>,
}

/// Rules about tool calls. A call counts from its start, with or without a result.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolRules {
    /// Tools that must not be called at all, by exact name.
    #[schemars(extend("x-since" = "1.0"), example = ["delete_order"])]
    pub forbid: Option<Vec<Text>>,
    /// Calls that must happen.
    #[schemars(extend("x-since" = "1.0"))]
    pub require: Option<Vec<Spanned<Require>>>,
    /// Calls that must not happen: each entry forbids the calls that satisfy all its conditions.
    #[schemars(extend("x-since" = "1.0"))]
    pub forbid_calls: Option<Vec<Spanned<ForbidCalls>>>,
}

/// A call that must happen. `name`, `args_match` and `result_match` select calls; without `count` one must be selected.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Require {
    /// The tool's exact name.
    #[schemars(extend("x-since" = "1.0"))]
    pub name: Text,
    /// How many selected calls there must be. Without it at least one.
    #[schemars(extend("x-since" = "1.0"))]
    pub count: Option<Spanned<Count>>,
    /// Selects the calls whose arguments match: argument name or path (`user.name`, `items[0].id`) to regex; all must match.
    #[schemars(extend("x-since" = "1.0"), example = serde_json::json!({"amount": "^10", "items[0].id": "sku-.*"}))]
    pub args_match: Option<FreeMap<Text>>,
    /// Selects the calls whose result matches this regex somewhere. No result is no match.
    #[schemars(extend("x-since" = "1.0", "format" = "regex"))]
    pub result_match: Option<Text>,
    /// No call selected by name and arguments may have a result that matches this regex. No result passes.
    #[schemars(extend("x-since" = "1.0", "format" = "regex"), example = "error|failed")]
    pub result_not_match: Option<Text>,
    /// Every selected call needs an earlier call of this tool, in the same turn or one before it.
    #[schemars(extend("x-since" = "1.0"))]
    pub after: Option<Text>,
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
    /// The tool's exact name.
    #[schemars(extend("x-since" = "1.0"))]
    pub name: Text,
    /// Only calls whose arguments match: argument name or path to regex; all must match.
    #[schemars(extend("x-since" = "1.0"))]
    pub args_match: Option<FreeMap<Text>>,
    /// Only calls with a result that matches this regex somewhere.
    #[schemars(extend("x-since" = "1.0", "format" = "regex"), example = "declined|insufficient")]
    pub result_match: Option<Text>,
}

/// Limits in milliseconds of the agent's time; equal to the limit passes. `false` switches an inherited limit off.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimingLimits {
    /// How long a turn may take, and on a test or target the test as a whole.
    #[schemars(extend("x-since" = "1.0"))]
    pub max_duration_ms: Option<Spanned<Limit>>,
    /// How long the agent may go without a tool call in progress: before the first, between two, after the last.
    #[schemars(extend("x-since" = "1.0"))]
    pub max_idle_ms: Option<Spanned<Limit>>,
    /// How long it may take until the first text of a turn comes; of a turn without text, until its end.
    #[schemars(extend("x-since" = "1.3"))]
    pub max_first_token_ms: Option<Spanned<Limit>>,
    /// How long each tool call may take, from its start to its result, without one to the end of its arguments.
    #[schemars(extend("x-since" = "1.3"))]
    pub max_tool_ms: Option<Spanned<Limit>>,
}

/// Rules about what the agent says: all its messages, joined by newlines.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextRules {
    /// Regexes that must match somewhere.
    #[schemars(extend("x-since" = "1.0"), example = "(?i)order confirmed")]
    pub must_match: Option<OneOrMany<Text>>,
    /// Regexes that must not match anywhere.
    #[schemars(extend("x-since" = "1.0"), example = ["exception", "fatal"])]
    pub must_not_match: Option<OneOrMany<Text>>,
}

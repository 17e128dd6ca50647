//! A step: a call, a result or a message, with the conditions on it; and the order in which things
//! must happen: the steps of a walk over calls, results and messages.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{
    CallStatus, Excludes, ResultWhere, Short, Since, Text, ValueCondition, ValuesWhere,
    short::ShortForm,
};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{FreeMap, Node};

/// A step: exactly one of `call`, `result` and `says`, and the keys that belong to it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct StepKeys {
    /// A call to this tool, by exact name; or a mapping of the name and the conditions.
    #[schemars(example = &"charge_card")]
    pub call: Option<Spanned<Short<CallStep>>>,
    /// With `call`: what its arguments must contain (partial match for mappings, element-wise for lists).
    #[serde(default, deserialize_with = "crate::model::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"currency": "EUR"}))]
    pub args: Option<Node>,
    /// With `call`: require `args` to match exactly (default false: there may be more keys).
    #[schemars(extend("x-since" = "1.4"))]
    pub exact: Option<Spanned<bool>>,
    /// With `call`: argument name or path (`user.name`, `items[0].id`) to regular expression; all must match.
    #[schemars(example = serde_json::json!({"amount": "^10"}))]
    pub args_match: Option<FreeMap<Text>>,
    /// With `call`: argument name or path to conditions on the value; all must be met.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({"amount": {"above": 100}}))]
    pub args_where: Option<ValuesWhere>,
    /// With `call`: its status.
    #[schemars(extend("x-since" = "1.4"))]
    pub status: Option<Spanned<CallStatus>>,
    /// The result of a call to this tool, by exact name; or a mapping of the name and the conditions.
    #[schemars(example = &"charge_card")]
    pub result: Option<Spanned<Short<ResultStep>>>,
    /// With `result`: regular expression for the result.
    #[serde(rename = "match")]
    #[schemars(example = &"paid")]
    pub matches: Option<Text>,
    /// With `result`: the whole result, any JSON value. A string is compared with the raw result text.
    #[schemars(
        with = "Option<serde_json::Value>",
        extend("x-since" = "1.4"),
        example = serde_json::json!({"status": "paid"})
    )]
    pub equals: Option<Node>,
    /// With `result`: conditions on the whole result; or path to conditions on the value, all must be met (`$.type` is the path
    /// `type`).
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({"order.total": {"max": 100}}))]
    pub result_where: Option<ResultWhere>,
    /// With `result`, and since 1.4 with `call`: whether the result must be an error (`true`) or must not be (`false`).
    pub is_error: Option<Spanned<bool>>,
    /// A message: regular expression for its text.
    #[schemars(example = &"(?i)shipping")]
    pub says: Option<Text>,
    /// With `says`: the sender of the message (default `assistant`).
    pub role: Option<Spanned<MessageRole>>,
}

impl StepKeys {
    /// The values, and texts, that its arguments and its result are compared with as they are.
    pub fn values(&self) -> impl Iterator<Item = Cow<'_, Node>> {
        let call = self.call.as_ref().map(|call| &call.value);
        let result = self.result.as_ref().map(|result| &result.value);
        let whole = [
            self.args.as_ref(),
            self.equals.as_ref(),
            call.and_then(|call| call.args.as_ref()),
            result.and_then(|result| result.equals.as_ref()),
        ];
        let args = [
            self.args_where.as_ref(),
            call.and_then(|call| call.args_where.as_ref()),
        ];
        let results = [
            self.result_where.as_ref(),
            result.and_then(|result| result.result_where.as_ref()),
        ];
        let args = args
            .into_iter()
            .flatten()
            .flat_map(|paths| paths.value.values());
        let results = results
            .into_iter()
            .flatten()
            .flat_map(ResultWhere::conditions);
        let conditions = args.map(|condition| &condition.value).chain(results);
        whole
            .into_iter()
            .flatten()
            .map(Cow::Borrowed)
            .chain(conditions.flat_map(ValueCondition::values))
    }
}

/// A call: the tool, and conditions that can also be written next to `call`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = Excludes(&[("name", "name_match")]))]
pub struct CallStep {
    /// The tool's exact name. A mapping has either this or `name_match`.
    pub name: Option<Text>,
    /// Instead of `name`: regular expression for the tool's name.
    #[schemars(example = &"^cart_")]
    pub name_match: Option<Text>,
    /// What the arguments must contain (partial match for mappings, element-wise for lists).
    #[serde(default, deserialize_with = "crate::model::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"currency": "EUR"}))]
    pub args: Option<Node>,
    /// Require `args` to match exactly (default false: there may be more keys).
    pub exact: Option<Spanned<bool>>,
    /// Argument name or path (`user.name`, `items[0].id`) to regular expression; all must match.
    #[schemars(example = serde_json::json!({"amount": "^10"}))]
    pub args_match: Option<FreeMap<Text>>,
    /// Argument name or path to conditions on the value; all must be met.
    #[schemars(example = serde_json::json!({"amount": {"above": 100}}))]
    pub args_where: Option<ValuesWhere>,
    /// Its status.
    pub status: Option<Spanned<CallStatus>>,
    /// Whether its result must be an error (`true`) or must not be (`false`).
    pub is_error: Option<Spanned<bool>>,
}

/// A result: the tool, and conditions that can also be written next to `result`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = Excludes(&[("name", "name_match")]))]
pub struct ResultStep {
    /// The tool's exact name. A mapping has either this or `name_match`.
    pub name: Option<Text>,
    /// Instead of `name`: regular expression for the tool's name.
    #[schemars(example = &"^cart_")]
    pub name_match: Option<Text>,
    /// Regular expression for the result.
    #[serde(rename = "match")]
    #[schemars(example = &"paid")]
    pub matches: Option<Text>,
    /// The whole result, any JSON value. A string is compared with the raw result text.
    #[schemars(
        with = "Option<serde_json::Value>",
        example = serde_json::json!({"status": "paid"})
    )]
    pub equals: Option<Node>,
    /// Conditions on the whole result; or path to conditions on the value, all must be met (`$.type` is the path `type`).
    #[schemars(example = serde_json::json!({"order.total": {"max": 100}}))]
    pub result_where: Option<ResultWhere>,
    /// Whether it must be an error (`true`) or must not be (`false`).
    pub is_error: Option<Spanned<bool>>,
}

impl ShortForm for CallStep {
    const KEY: &'static str = "name";
    type Value = String;
}

impl ShortForm for ResultStep {
    const KEY: &'static str = "name";
    type Value = String;
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

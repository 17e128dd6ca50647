//! The rules about tool calls.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::model::short::ShortForm;
use crate::model::{
    CallSelector, Count, Excludes, Limit, OneOrMany, OneSince, Short, Since, Text, Toggle,
};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::FreeMap;

/// An example in the schema.
const FORBIDDEN_TOOLS: [&str; 1] = ["delete_order"];
/// An example in the schema.
const REQUIRED_TOOLS: [&str; 2] = ["validate_cart", "charge_card"];

/// Rules about tool calls. A call counts from its start, with or without a result.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"))]
pub struct ToolRules {
    /// Tools that must not be called at all, by exact name.
    #[schemars(transform = OneSince("1.4"), example = FORBIDDEN_TOOLS)]
    pub forbid: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// Calls that must happen. An entry is the name of a tool, or a mapping; one entry needs no list.
    #[schemars(transform = OneSince("1.4"), example = serde_json::json!(["validate_cart", {"name": "charge_card", "count": 1}]))]
    pub require: Option<Spanned<Toggle<OneOrMany<RequireEntry>>>>,
    /// Calls that must not happen: each entry forbids the calls that satisfy all its conditions.
    #[schemars(example = serde_json::json!([{"name": "refund", "args_match": {"amount": "^[0-9]{4,}"}}]))]
    pub forbid_calls: Option<Spanned<Toggle<Vec<Spanned<ForbidCalls>>>>>,
    /// The only tools that may be called, by exact name. If several levels set it, only tools on every list are
    /// allowed. An empty list allows none.
    #[schemars(extend("x-since" = "1.3"), example = REQUIRED_TOOLS)]
    pub allow_only: Option<Spanned<Toggle<Vec<Text>>>>,
    /// Maximum number of calls in a turn; on a test or target in the whole test.
    #[schemars(extend("x-since" = "1.3"))]
    pub max_calls: Option<Spanned<Limit>>,
    /// Maximum number of calls to one tool with the same arguments in a turn; on a test or target in the whole test.
    #[schemars(extend("x-since" = "1.4"))]
    pub max_identical_calls: Option<Spanned<Limit>>,
    /// Whether the JSON Schemas of the declared tools must be valid, and calls and structured results must satisfy them. `false`
    /// switches off what outer levels say.
    #[schemars(extend("x-since" = "1.2"), example = true)]
    pub schema: Option<Spanned<bool>>,
    /// Whether subagent calls count towards the rules of this block (default `include`).
    #[schemars(extend("x-since" = "1.3"))]
    pub subagents: Option<Spanned<Subagents>>,
}

/// An entry of `require`: a mapping, or the name of a tool.
pub type RequireEntry = Spanned<Short<Require>>;

/// Whether calls of subagents count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Subagents {
    /// Count subagent calls like the agent's own.
    Include,
    /// Ignore subagent calls.
    Exclude,
}

/// A call that must happen. Name and conditions select calls; without `count` at least one must be selected.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"), transform = Excludes(&[("name", "name_match")]))]
pub struct Require {
    /// The conditions that select calls.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub calls: CallSelector,
    /// Which of the calls to the tool are matched: all of them (default), or the first one.
    #[schemars(extend("x-since" = "1.3"))]
    pub which: Option<WhichCalls>,
    /// Number of matching calls (default: at least one). A number alone is `exact`.
    pub count: Option<Spanned<Short<Count>>>,
    /// What every selected call must satisfy: the conditions of an entry of `forbid_calls`. It selects nothing.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({"args": {"amount": 89.5}}))]
    pub every: Option<Spanned<EveryCall>>,
    /// No call selected by name and arguments may have a matching argument. A missing argument passes.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({"amount": "^-"}))]
    pub args_not_match: Option<FreeMap<Text>>,
    /// No call selected by name and arguments may have a result that matches this regular expression. A missing result
    /// passes.
    #[schemars(example = "error|failed")]
    pub result_not_match: Option<Text>,
    /// Every selected call must be preceded by a call to this tool, in the same or an earlier turn.
    pub after: Option<Text>,
    /// Every selected call must be preceded by the result of a call to this tool, in the same or an earlier turn.
    #[schemars(extend("x-since" = "1.3"))]
    pub after_result: Option<Text>,
    /// Custom failure message.
    #[schemars(extend("x-since" = "1.3"), example = &"the cart must be validated")]
    pub message: Option<Text>,
}

/// Which of the calls to a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WhichCalls {
    /// All of them.
    #[default]
    All,
    /// The first call to the tool.
    First,
}

impl ShortForm for Require {
    const KEY: &'static str = "name";
    type Value = String;
}

/// Calls that must not happen: those that satisfy all conditions given here.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = Excludes(&[("name", "name_match")]))]
pub struct ForbidCalls {
    /// The conditions that select calls.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub calls: CallSelector,
    /// Only calls with none of these arguments matching; a missing argument does not match.
    #[schemars(example = serde_json::json!({"currency": "^EUR$"}))]
    pub args_not_match: Option<FreeMap<Text>>,
    /// Only calls with a result that does not match this regular expression.
    #[schemars(example = &"^\\{")]
    pub result_not_match: Option<Text>,
    /// Custom failure message.
    #[schemars(example = &"a customer is never refunded twice")]
    pub message: Option<Text>,
}

/// The keys of an entry of `forbid_calls` that the entry around `every` has already.
const KEYS_OF_ENTRY: [&str; 3] = ["name", "name_match", "message"];

/// The conditions of an entry of `forbid_calls`, without the tool: one list of conditions, so that a condition which is
/// new there is one here.
#[derive(Clone, Debug)]
pub struct EveryCall(pub ForbidCalls);

impl<'de> Deserialize<'de> for EveryCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ForbidCalls::deserialize(deserializer).map(Self)
    }
}

impl JsonSchema for EveryCall {
    fn schema_name() -> Cow<'static, str> {
        "EveryCall".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = ForbidCalls::json_schema(generator);
        schema.insert(
            "description".to_owned(),
            "Conditions that each selected call must satisfy.".into(),
        );
        if let Some(Value::Object(keys)) = schema.get_mut("properties") {
            keys.retain(|key, _| !KEYS_OF_ENTRY.contains(&key.as_str()));
            for key in keys.values_mut() {
                key["x-since"] = "1.4".into();
            }
        }
        // What its keys exclude is not among them.
        schema.remove("allOf");
        schema
    }
}

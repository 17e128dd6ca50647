//! The sources that values must come from, and those that they must not come from.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::model::{Excludes, OneOrMany, Short, Since, Text, form, short::ShortForm};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{Node, NodeValue};

/// Values, and where they must or must not come from.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct ProvenanceRule {
    /// The name of the rule, shown in its failures.
    #[schemars(example = &"no invented orders")]
    pub name: Option<Text>,
    /// Which values: arguments of calls, or what the agent says.
    #[schemars(example = serde_json::json!({"call": "refund", "arg": "order_id"}))]
    pub of: Spanned<TracedValues>,
    /// The sources of which one must contain each value, before the call or the message.
    #[schemars(length(min = 1), example = serde_json::json!(["user", {"result": "lookup_order"}]))]
    pub from: Option<Spanned<Vec<Spanned<ValueSource>>>>,
    /// The sources of which none may contain a value.
    #[schemars(length(min = 1), example = serde_json::json!([{"result": "read_mail"}]))]
    pub not_from: Option<Spanned<Vec<Spanned<ValueSource>>>>,
    /// How values and sources are changed before they are compared.
    #[schemars(example = serde_json::json!(["lower", "trim"]))]
    pub normalise: Option<Vec<Normalisation>>,
    /// Whether a value that is too short to be traced is a failure (default false: a warning).
    pub strict: Option<bool>,
    /// Custom failure message.
    #[schemars(example = &"the order does not exist")]
    pub message: Option<Text>,
}

/// The values that are traced: exactly one of `call` and `says`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = Excludes(&[("call", "says"), ("says", "arg")]))]
pub struct TracedValues {
    /// Arguments of calls to this tool, by exact name; or a mapping with `name` or `name_match`.
    #[schemars(example = &"refund")]
    pub call: Option<Spanned<Short<TracedCall>>>,
    /// With `call`: the name or path of an argument, or a list of them (default: all arguments).
    #[schemars(example = &"order_id")]
    pub arg: Option<OneOrMany<Text>>,
    /// Regular expression: what it finds in the agent's messages, or its first group.
    #[schemars(example = &"\\b[A-Z]{3}-\\d+\\b")]
    pub says: Option<Text>,
}

/// The tool whose arguments are traced.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = Excludes(&[("name", "name_match")]))]
pub struct TracedCall {
    /// The tool's exact name. A mapping has either this or `name_match`.
    pub name: Option<Text>,
    /// Instead of `name`: regular expression for the tool's name.
    #[schemars(example = &"^pay_")]
    pub name_match: Option<Text>,
}

impl ShortForm for TracedCall {
    const KEY: &'static str = "name";
    type Value = String;
}

/// How a value is changed before it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Normalisation {
    /// Lowercase letters.
    Lower,
    /// Digits alone: `+49 (30) 12` is `493012`.
    Digits,
    /// Without whitespace at both ends.
    Trim,
}

/// A place that values can come from: its name, or a mapping.
#[derive(Clone, Debug)]
pub enum ValueSource {
    /// A source without settings.
    Named(Spanned<SourceName>),
    /// Another source.
    Detailed(DetailedSource),
}

/// A source without settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceName {
    /// The messages of the user.
    User,
    /// The results of all tools.
    Results,
    /// The messages from before the first turn, with their calls and results.
    History,
    /// Everything that the agent's state contained so far.
    State,
}

/// A source with settings: exactly one of `result` and `literal`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = Excludes(&[("result", "literal"), ("literal", "path")]))]
pub struct DetailedSource {
    /// The results of this tool, by exact name.
    #[schemars(example = &"lookup_order")]
    pub result: Option<Text>,
    /// With `result`: the path of the value in the result (default: the whole result).
    #[schemars(example = &"order.id")]
    pub path: Option<Text>,
    /// These values.
    #[schemars(with = "Option<Vec<serde_json::Value>>", length(min = 1), example = serde_json::json!(["EUR", "USD"]))]
    pub literal: Option<Vec<Node>>,
}

impl<'de> Deserialize<'de> for ValueSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Map(_) => form(&node).map(Self::Detailed),
            _ => form(&node).map(Self::Named),
        }
    }
}

impl JsonSchema for ValueSource {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ValueSource".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string", "enum": ["user", "results", "history", "state"] },
            generator.subschema_for::<DetailedSource>(),
        ]})
    }
}

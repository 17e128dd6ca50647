//! The keys that select tool calls, wherever calls are selected.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use super::{ResultWhere, Since, Text, ValueCondition, ValuesWhere, form};
use ananke_base::diagnostic::{Span, Spanned};
use ananke_base::source::{FreeMap, Node, NodeValue};

/// Selects calls that match all conditions.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct CallSelector {
    /// The tool's exact name. An entry has either this or `name_match`.
    #[schemars(extend("x-since" = "1.0"))]
    pub name: Option<Text>,
    /// Instead of `name`: regular expression for the tool's name.
    #[schemars(example = &"^cart_")]
    pub name_match: Option<Text>,
    /// Match calls whose arguments contain this (partial match for mappings, element-wise for lists).
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"currency": "EUR", "card": {"type": "debit"}}))]
    pub args: Option<Node>,
    /// Match calls by argument: name or path (`user.name`, `items[0].id`) to regular expression; all must match.
    #[schemars(extend("x-since" = "1.0"), example = serde_json::json!({"amount": "^10", "items[0].id": "sku-.*"}))]
    pub args_match: Option<FreeMap<Text>>,
    /// Match calls by argument: name or path to conditions on the value; all must be met. A missing argument meets only
    /// `exists: false`.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({"amount": {"above": 100}}))]
    pub args_where: Option<ValuesWhere>,
    /// Match calls whose result contains this, any JSON value. A string is compared with the raw result text.
    #[schemars(with = "Option<serde_json::Value>", example = serde_json::json!({"status": "paid"}))]
    pub result: Option<Node>,
    /// Match calls by result: a regular expression; or path (`order.status`) to regular expression, all must match. A
    /// missing result does not match.
    #[schemars(extend("x-since" = "1.0"))]
    pub result_match: Option<ResultMatch>,
    /// Match calls by result: conditions on the whole result; or path to conditions on the value, all must be met (`$.type` is
    /// the path `type`). A missing result does not match.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({"order.total": {"max": 100}}))]
    pub result_where: Option<ResultWhere>,
    /// Require `args` and `result` to match exactly (default false: there may be more keys).
    pub exact: Option<Spanned<bool>>,
    /// Match calls whose result is an error (`true`) or is not (`false`).
    pub is_error: Option<bool>,
    /// Match calls with this status.
    pub status: Option<Spanned<CallStatus>>,
}

impl CallSelector {
    /// Whether `args` and `result` are all there may be.
    pub fn is_exact(&self) -> bool {
        self.exact.as_ref().is_some_and(|exact| exact.value)
    }

    /// The values, and texts, that arguments and results are compared with as they are.
    pub fn values(&self) -> impl Iterator<Item = Cow<'_, Node>> {
        let nodes = self.args.iter().chain(&self.result);
        let args = self
            .args_where
            .iter()
            .flat_map(|paths| paths.value.values());
        let results = self.result_where.iter().flat_map(ResultWhere::conditions);
        let conditions = args.map(|condition| &condition.value).chain(results);
        nodes
            .map(Cow::Borrowed)
            .chain(conditions.flat_map(ValueCondition::values))
    }

    /// The place of the tool's name.
    pub fn name_span(&self) -> Option<Span> {
        self.name
            .as_ref()
            .or(self.name_match.as_ref())
            .map(|name| name.span)
    }
}

/// A pattern for a result as a whole, or patterns for values in it.
#[derive(Clone, Debug)]
pub enum ResultMatch {
    /// The result matches.
    Whole(Text),
    /// The values at these paths match.
    Parts(FreeMap<Text>),
}

impl<'de> Deserialize<'de> for ResultMatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Map(_) => form(&node).map(Self::Parts),
            _ => form(&node).map(Self::Whole),
        }
    }
}

impl JsonSchema for ResultMatch {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ResultMatch".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string" },
            { "type": "object", "additionalProperties": { "type": "string" }, "x-since": "1.3" },
        ]})
    }
}

/// The status of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CallStatus {
    /// Has no result at the end of the rule's scope.
    Pending,
    /// Executed: has a result and was not denied.
    Executed,
    /// Denied.
    Denied,
}

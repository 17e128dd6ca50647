//! Client-side tools: declared to the agent, answered by mocks.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Excludes, Since, Text, ValuesWhere};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{FreeMap, Node};

/// A client-side (frontend) tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ClientTool {
    /// The tool's name. A test's tool overrides the target's tool of the same name.
    #[schemars(example = &"get_location")]
    pub name: Text,
    /// What it does, for the agent's model.
    pub description: Option<Text>,
    /// The JSON Schema of its arguments (default: any object).
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"type": "object", "properties": {"city": {"type": "string"}}}))]
    pub parameters: Option<Node>,
    /// What answers calls to it. A call to a tool without a mock fails the turn.
    pub mock: Option<Mock>,
}

/// What answers the calls to a client-side tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = Since("1.3"))]
pub enum Mock {
    /// No answer: the call stays open and ends the turn.
    None,
    /// Always returns this value.
    #[schemars(with = "serde_json::Value")]
    Result(Node),
    /// Always returns this error.
    Error(Text),
    /// Returns what a script prints, `{result}` or `{error}`: the name of one of the config's `scripts`, or of a file
    /// in `scripts/` in the config's directory. The script runs for each call and receives it as JSON.
    #[schemars(example = &"book-slot")]
    Script(Text),
    /// Returns one answer after the other. A further call fails the turn.
    #[schemars(example = serde_json::json!([{"error": "try again"}, {"result": {"ok": true}}]))]
    Sequence(Spanned<Vec<MockAnswer>>),
    /// Returns the answer of the first case whose arguments match. A call that matches no case fails the turn.
    #[schemars(example = serde_json::json!([{"args_match": {"city": "^Rome$"}, "result": {"degrees": 31}}, {"error": "no such city"}]))]
    When(Spanned<Vec<Spanned<MockCase>>>),
}

/// One answer to a call to a client-side tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = Since("1.3"))]
pub enum MockAnswer {
    /// Returns this value.
    #[schemars(with = "serde_json::Value")]
    Result(Node),
    /// Returns this error.
    Error(Text),
}

/// An answer to calls with certain arguments: `result` or `error`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = Excludes(&[("result", "error")]))]
pub struct MockCase {
    /// Argument name or path to regular expression; all must match. Without it and `args_where` every call matches.
    pub args_match: Option<FreeMap<Text>>,
    /// Argument name or path to conditions on the value; all must be met.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({"amount": {"above": 100}}))]
    pub args_where: Option<ValuesWhere>,
    /// Returns this value.
    #[schemars(with = "Option<serde_json::Value>")]
    pub result: Option<Node>,
    /// Returns this error.
    pub error: Option<Text>,
}

//! Client-side tools: declared to the agent, answered by mocks.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use super::tree::no_form;
use super::{Excludes, Since, Text, ValuesWhere, form};
use ananke_base::diagnostic::{Span, Spanned};
use ananke_base::source::{FreeMap, Node, NodeValue};

/// A client-side (frontend) tool, or all tools of a server.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    extend("anyOf" = [{ "title": "name", "required": ["name"] }, { "title": "from", "required": ["from"] }]),
    transform = Since("1.3"),
    transform = Excludes(&[
        ("name", "from"), ("from", "description"), ("from", "parameters"), ("from", "mock"),
    ])
)]
pub struct ClientTool {
    /// The tool's name. A test's tool overrides the target's tool of the same name. An entry has either this or `from`.
    #[schemars(example = &"get_location")]
    pub name: Option<Text>,
    /// What it does, for the agent's model.
    pub description: Option<Text>,
    /// The JSON Schema of its arguments (default: any object).
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"type": "object", "properties": {"city": {"type": "string"}}}))]
    pub parameters: Option<Node>,
    /// What answers calls to it. A call to a tool without a mock fails the turn.
    pub mock: Option<Mock>,
    /// Instead of `name`: the target, a server of MCP, whose tools are declared with their own descriptions and schemas. A
    /// test's entry overrides the target's entry of the same server.
    #[schemars(extend("x-since" = "1.4"), example = &"shop-tools")]
    pub from: Option<Text>,
    /// With `from`: what answers calls to tools of the server, by their names. Calls to other tools stay open.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({"find_order": {"result": {"status": "shipped"}}}))]
    pub mocks: Option<FreeMap<Mock>>,
    /// With `from`: the tools that the server executes. `true` means those without a mock that change no data.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!(["find_order"]))]
    pub execute: Option<Spanned<ExecutedTools>>,
}

impl ClientTool {
    /// The place of its name, or of the name of its server; `None` if it has neither.
    pub fn place(&self) -> Option<Span> {
        if let Some(name) = &self.name {
            return Some(name.span);
        }
        Some(self.from.as_ref()?.span)
    }

    /// All mocks of the entry.
    pub fn mocks(&self) -> Vec<&Mock> {
        let mut mocks = Vec::from_iter(&self.mock);
        if let Some(of_server) = &self.mocks {
            mocks.extend(of_server.values());
        }
        mocks
    }
}

/// The tools that a server executes.
#[derive(Clone, Debug)]
pub enum ExecutedTools {
    /// All that have no mock and change no data.
    Unmocked,
    /// The tools with these names, also if they change data.
    Named(Vec<Text>),
}

impl<'de> Deserialize<'de> for ExecutedTools {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Bool(true) => Ok(Self::Unmocked),
            NodeValue::List(_) => Ok(Self::Named(form(&node)?)),
            _ => Err(no_form(&node, "`true` or a list of names of tools")),
        }
    }
}

impl JsonSchema for ExecutedTools {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ExecutedTools".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let names = generator.subschema_for::<Vec<Text>>();
        json_schema!({ "anyOf": [{ "type": "boolean", "const": true }, names] })
    }
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

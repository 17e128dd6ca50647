//! Tools that the agent's client carries out: declared to the agent, answered by mocks.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Text;
use super::since::Since;
use crate::diagnostic::Spanned;
use crate::source::{FreeMap, Node};

/// A tool that the agent may call and its client carries out.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ClientTool {
    /// The tool's name. A test's tool takes the place of the target's of the same name.
    #[schemars(example = &"get_location")]
    pub name: Text,
    /// What it does, in words for the agent's model.
    pub description: Option<Text>,
    /// The JSON Schema of its arguments (default: any object).
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"type": "object", "properties": {"city": {"type": "string"}}}))]
    pub parameters: Option<Node>,
    /// What answers a call of it. A call of a tool without a mock fails the turn.
    pub mock: Option<Mock>,
}

/// What answers the calls of a client tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = Since("1.3"))]
pub enum Mock {
    /// Nothing: the call stays open, and the turn ends with it.
    None,
    /// This value, every time.
    #[schemars(with = "serde_json::Value")]
    Result(Node),
    /// An error in these words, every time.
    Error(Text),
    /// A script that answers each call with `{result}` or `{error}`: the name of one of the config's `scripts`, else of a
    /// file in the folder `scripts/` next to the config. It gets the call as JSON.
    #[schemars(example = &"book-slot")]
    Script(Text),
    /// One answer after the other. A call after the last one fails the turn.
    #[schemars(example = serde_json::json!([{"error": "try again"}, {"result": {"ok": true}}]))]
    Sequence(Spanned<Vec<MockAnswer>>),
    /// The answer of the first case that fits the arguments. A call that none fits fails the turn.
    #[schemars(example = serde_json::json!([{"args_match": {"city": "^Rome$"}, "result": {"degrees": 31}}, {"error": "no such city"}]))]
    When(Spanned<Vec<Spanned<MockCase>>>),
}

/// One answer to a call of a client tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = Since("1.3"))]
pub enum MockAnswer {
    /// This value.
    #[schemars(with = "serde_json::Value")]
    Result(Node),
    /// An error in these words.
    Error(Text),
}

/// An answer to the calls with certain arguments: `result` or `error`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct MockCase {
    /// Argument name or path to regex; all must match. Without it every call fits.
    pub args_match: Option<FreeMap<Text>>,
    /// This value.
    #[schemars(with = "Option<serde_json::Value>")]
    pub result: Option<Node>,
    /// An error in these words.
    pub error: Option<Text>,
}

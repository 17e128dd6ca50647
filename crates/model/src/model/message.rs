//! The messages that were said before a test begins.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer};

use super::{Since, Text, WrittenContent};
use ananke_base::diagnostic::Spanned;
use ananke_base::message::Role;
use ananke_base::source::{Node, NodeValue};

/// A message of the conversation history, in the shape of the protocol.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
#[schemars(rename = "Message")]
pub struct MessageDefinition {
    /// The sender.
    pub role: Role,
    /// The text; for a user also a list of parts. Optional for an `assistant` that calls tools.
    #[schemars(example = &"Which size?")]
    pub content: Option<Spanned<WrittenContent>>,
    /// The message's id (default: a new one).
    #[schemars(length(min = 1))]
    pub id: Option<Text>,
    /// The name of the sender, if several have the same role.
    #[schemars(length(min = 1))]
    pub name: Option<Text>,
    /// The calls of an `assistant`. A later `tool` message answers each of them.
    #[schemars(length(min = 1))]
    pub tool_calls: Option<Vec<Spanned<MessageCall>>>,
    /// The id of the call that a `tool` message answers.
    #[schemars(length(min = 1))]
    pub tool_call_id: Option<Text>,
}

/// A tool call of an assistant message.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct MessageCall {
    /// The call's id, for the `tool` message that answers it.
    #[schemars(length(min = 1), example = &"call-1")]
    pub id: Text,
    /// Always `function`; optional.
    #[serde(rename = "type")]
    pub kind: Option<CallKind>,
    /// The called tool.
    pub function: CalledFunction,
}

/// The kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// A function.
    Function,
}

/// A tool and the arguments of the call.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct CalledFunction {
    /// The tool's name.
    #[schemars(length(min = 1), example = &"get_weather")]
    pub name: Text,
    /// The arguments: a mapping, or the text of a JSON object as agents send it (default: none).
    #[schemars(example = serde_json::json!({"city": "Rome"}), example = &"{\"city\": \"Rome\"}")]
    pub arguments: Option<Arguments>,
}

/// The arguments of a call: a mapping, or a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments(pub Node);

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Map(_) | NodeValue::String(_) => Ok(Self(node)),
            _ => Err(de::Error::custom(format!(
                "expected a text or a mapping, found {}",
                node.describe()
            ))),
        }
    }
}

impl JsonSchema for Arguments {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Arguments".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "string" }, { "type": "object", "additionalProperties": true }] })
    }
}

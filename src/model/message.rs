//! What was said before a test begins.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer};

use super::content::WrittenContent;
use super::scalars::Text;
use super::since::Since;
use crate::diagnostic::Spanned;
use crate::message::Role;
use crate::source::{Node, NodeValue};

/// A message of the conversation so far, in the shape of the protocol.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
#[schemars(rename = "Message")]
pub struct MessageDefinition {
    /// Who says it.
    pub role: Role,
    /// What is said: a text; of a user also a list of parts. An `assistant` that calls tools may say nothing.
    #[schemars(example = &"Which size?")]
    pub content: Option<Spanned<WrittenContent>>,
    /// The message's id, by which the agent knows it (default: a new one).
    #[schemars(length(min = 1))]
    pub id: Option<Text>,
    /// The name of who says it, where several have one role.
    #[schemars(length(min = 1))]
    pub name: Option<Text>,
    /// The calls of an `assistant`. Each is answered by a message of a `tool` behind it.
    #[schemars(length(min = 1))]
    pub tool_calls: Option<Vec<Spanned<MessageCall>>>,
    /// The id of the call that a message of a `tool` answers.
    #[schemars(length(min = 1))]
    pub tool_call_id: Option<Text>,
}

/// A call of an assistant's message.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct MessageCall {
    /// The call's id, which the answer to it names.
    #[schemars(length(min = 1), example = &"call-1")]
    pub id: Text,
    /// The one kind of call there is; may be left out.
    #[serde(rename = "type")]
    pub kind: Option<CallKind>,
    /// What is called.
    pub function: CalledFunction,
}

/// The kinds of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// A tool that is a function.
    Function,
}

/// A tool, and what it is called with.
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
            _ => Err(de::Error::custom(format!("expected a text or a mapping, found {}", node.describe()))),
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

//! A value that is a text in the simple case and a mapping otherwise.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, DeserializeOwned, Deserializer};

use super::scalars::Text;
use super::tree::form;
use ananke_base::source::{Node, NodeValue};

/// A text, or a mapping that is an `M`.
#[derive(Clone, Debug)]
pub enum TextOr<M> {
    /// A text.
    Text(Text),
    /// A mapping.
    Mapping(M),
}

impl<'de, M: DeserializeOwned> Deserialize<'de> for TextOr<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Map(_) => form(&node).map(Self::Mapping),
            _ => form(&node).map(Self::Text),
        }
    }
}

impl<M: JsonSchema> JsonSchema for TextOr<M> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("TextOr{}", M::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mapping = generator.subschema_for::<M>();
        json_schema!({ "anyOf": [{ "type": "string" }, mapping] })
    }
}

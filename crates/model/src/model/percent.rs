//! A percentage as it is written.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer};

use super::tree::no_form;
use ananke_base::source::{Node, NodeValue};

/// A percentage as it is written, which may contain a variable: `95%`, `99.5%`, or a number of per cent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Percent(pub String);

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match &node.value {
            NodeValue::String(text) => Ok(Self(text.clone())),
            NodeValue::Number(number) => Ok(Self(number.to_string())),
            _ => Err(no_form(&node, "a percentage such as `95%`")),
        }
    }
}

impl JsonSchema for Percent {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Percent".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "string", "minLength": 1 }, { "type": "number" }] })
    }
}

//! The rows that a test runs with, and why a test does not run.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer};

use super::tree::no_form;
use ananke_base::source::{Node, NodeValue};

/// Rows of data, or where they are.
#[derive(Clone, Debug, PartialEq)]
pub enum Cases {
    /// Written in the test: a list of mappings.
    Rows(Vec<Node>),
    /// The path of a file.
    File(String),
}

/// Whether a test is skipped, or why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skip {
    /// `true` or `false`.
    Is(bool),
    /// The reason.
    Because(String),
}

impl<'de> Deserialize<'de> for Cases {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::String(path) => Ok(Self::File(path)),
            NodeValue::List(rows)
                if rows
                    .iter()
                    .all(|row| matches!(row.value, NodeValue::Map(_))) =>
            {
                Ok(Self::Rows(rows))
            }
            _ => Err(no_form(&node, "a list of mappings or the path of a file")),
        }
    }
}

impl JsonSchema for Cases {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Cases".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "array", "minItems": 1, "items": { "type": "object", "minProperties": 1 } },
            { "type": "string", "minLength": 1 },
        ]})
    }
}

impl<'de> Deserialize<'de> for Skip {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Bool(value) => Ok(Self::Is(value)),
            NodeValue::String(reason) => Ok(Self::Because(reason)),
            _ => Err(no_form(&node, "`true`, `false` or the reason")),
        }
    }
}

impl JsonSchema for Skip {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Skip".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "boolean" }, { "type": "string", "minLength": 1 }] })
    }
}

//! The rows that a test runs with, and why a test does not run.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};

use crate::source::Node;

/// Rows of data, or where they are.
#[derive(Clone, Debug, PartialEq)]
pub enum Cases {
    /// Written in the test: a list of mappings.
    Rows(Vec<Node>),
    /// The path of a file.
    File(String),
}

/// Whether a test is left out, or why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skip {
    /// `true` or `false`.
    Is(bool),
    /// Why.
    Because(String),
}

impl<'de> Deserialize<'de> for Cases {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CasesVisitor;
        impl<'de> Visitor<'de> for CasesVisitor {
            type Value = Cases;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of mappings or the path of a file")
            }

            fn visit_str<E: de::Error>(self, path: &str) -> Result<Cases, E> {
                Ok(Cases::File(path.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Cases, A::Error> {
                let mut rows = Vec::new();
                while let Some(row) = list.next_element::<Row>()? {
                    rows.push(row.0);
                }
                Ok(Cases::Rows(rows))
            }
        }
        deserializer.deserialize_any(CasesVisitor)
    }
}

/// A row that is written in the test.
struct Row(Node);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        super::scalars::mapping(deserializer).map(Self)
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
        struct SkipVisitor;
        impl Visitor<'_> for SkipVisitor {
            type Value = Skip;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("`true`, `false` or the reason")
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Skip, E> {
                Ok(Skip::Is(value))
            }

            fn visit_str<E: de::Error>(self, reason: &str) -> Result<Skip, E> {
                Ok(Skip::Because(reason.to_owned()))
            }
        }
        deserializer.deserialize_any(SkipVisitor)
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

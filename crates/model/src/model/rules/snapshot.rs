//! A snapshot: `true`, `false`, a name, or a mapping.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer};

use crate::model::{Since, Text, form};
use ananke_base::source::{Node, NodeValue};

/// An example in the schema.
const VOLATILE_PATHS: [&str; 3] = [
    "search.args.when",
    "*.result.items[*].id",
    "state.updated_at",
];

/// The value of `assert.snapshot`.
#[derive(Clone, Debug)]
pub enum SnapshotRule {
    /// `false`: what outer levels define does not apply; a turn is omitted from the snapshot of the test.
    Off,
    /// `true`.
    On,
    /// A name.
    Named(String),
    /// A mapping.
    Of(SnapshotOf),
}

/// A snapshot with a name, or with paths to mask.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
#[schemars(transform = Since("1.3"))]
pub struct SnapshotOf {
    /// The name of its file (default: from the test and the turn).
    #[schemars(length(min = 1), example = &"happy path")]
    pub name: Option<Text>,
    /// Paths of values that change from run to run, which are masked: in `TOOL.args`, `TOOL.result`, `state` or
    /// `custom.NAME`; `*` is any tool, key or index, `text` is what the agent says. Paths of outer levels are
    /// inherited.
    #[schemars(length(min = 1), example = VOLATILE_PATHS)]
    pub volatile: Option<Vec<Text>>,
}

impl<'de> Deserialize<'de> for SnapshotRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Bool(true) => Ok(Self::On),
            NodeValue::Bool(false) => Ok(Self::Off),
            NodeValue::String(name) => Ok(Self::Named(name)),
            _ => form(&node).map(Self::Of),
        }
    }
}

impl JsonSchema for SnapshotRule {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SnapshotRule".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mapping = generator.subschema_for::<SnapshotOf>();
        json_schema!({ "anyOf": [{ "type": "boolean" }, { "type": "string", "minLength": 1 }, mapping] })
    }
}

//! The required end of a run: a word, `false`, or a word with what an error must say.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer};

use crate::model::{Since, Text, form};
use ananke_base::source::{Node, NodeValue};

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum RunOutcome {
    /// The run finished.
    Finished,
    /// The agent reported an error.
    Error,
    /// The agent waits for an answer to an interrupt.
    Interrupted,
    /// The agent cancelled the run.
    Cancelled,
}

/// The value of `assert.outcome`.
#[derive(Clone, Debug)]
pub enum OutcomeRule {
    /// `false`: what outer levels say does not apply.
    Off,
    /// The run must end so.
    Is(OutcomeIs),
}

/// How the run must end, and what an error must say.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
#[schemars(transform = Since("1.3"))]
pub struct OutcomeIs {
    /// How the run must end.
    pub is: RunOutcome,
    /// With `is: error`: regular expression for the error's message or code.
    #[schemars(example = "unavailable|E42")]
    pub error_match: Option<Text>,
}

impl<'de> Deserialize<'de> for OutcomeRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Bool(false) => Ok(Self::Off),
            NodeValue::Map(_) => form(&node).map(Self::Is),
            _ => Ok(Self::Is(OutcomeIs {
                is: form(&node)?,
                error_match: None,
            })),
        }
    }
}

impl JsonSchema for OutcomeRule {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "OutcomeRule".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let words = ["finished", "error", "interrupted", "cancelled"];
        let mapping = generator.subschema_for::<OutcomeIs>();
        json_schema!({ "anyOf": [
            { "type": "string", "enum": words },
            mapping,
            { "type": "boolean", "const": false },
        ]})
    }
}

//! The condition on which a turn is sent: the key `if`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{StepKeys, form};
use ananke_base::source::{Node, NodeValue};

/// The condition on which a turn is sent, as it is written.
#[derive(Clone, Debug)]
pub enum WrittenCondition {
    /// The agent waits for input, or has an interrupt open.
    Word(ConditionWord),
    /// The turn before has such a call, result or message.
    Step(Box<TurnStepKeys>),
}

/// The step that the turn before must contain: exactly one of `call`, `result` and `says`, and the keys that belong to it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TurnStep", transform = since_1_4)]
pub struct TurnStepKeys {
    /// What it is.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub keys: StepKeys,
}

/// A condition of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionWord {
    /// The agent waits for input.
    Awaits,
    /// An interrupt is open.
    Interrupted,
}

/// Says of every key and of every form of it that it exists since 1.4 here, however old it is in other steps.
fn since_1_4(schema: &mut Schema) {
    fn raise(value: &mut Value) {
        match value {
            Value::Object(parts) => {
                if let Some(since) = parts.get_mut("x-since") {
                    *since = "1.4".into();
                }
                parts.values_mut().for_each(raise);
            }
            Value::Array(parts) => parts.iter_mut().for_each(raise),
            _ => {}
        }
    }
    if let Some(keys) = schema.get_mut("properties") {
        raise(keys);
    }
}

impl<'de> Deserialize<'de> for WrittenCondition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Map(_) => form(&node).map(Self::Step),
            _ => form(&node).map(Self::Word),
        }
    }
}

impl JsonSchema for WrittenCondition {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Condition".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let step = generator.subschema_for::<TurnStepKeys>();
        json_schema!({ "anyOf": [
            { "type": "string", "enum": ["awaits", "interrupted"] },
            step,
        ]})
    }
}

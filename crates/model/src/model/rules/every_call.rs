//! What every call that an entry of `require` selects must satisfy.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::ForbidCalls;

/// The keys of an entry of `forbid_calls` that the entry around `every` has already.
const OF_ENTRY: [&str; 3] = ["name", "name_match", "message"];

/// The schema version that brings `every`.
const SINCE: &str = "1.4";

/// The conditions of an entry of `forbid_calls`, without the tool: one list of conditions, so that a condition which is
/// new there is one here.
#[derive(Clone, Debug)]
pub struct EveryCall(pub ForbidCalls);

impl<'de> Deserialize<'de> for EveryCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ForbidCalls::deserialize(deserializer).map(Self)
    }
}

impl JsonSchema for EveryCall {
    fn schema_name() -> Cow<'static, str> {
        "EveryCall".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = ForbidCalls::json_schema(generator);
        schema.insert(
            "description".to_owned(),
            "Conditions that each selected call must satisfy.".into(),
        );
        if let Some(Value::Object(keys)) = schema.get_mut("properties") {
            keys.retain(|key, _| !OF_ENTRY.contains(&key.as_str()));
            for key in keys.values_mut() {
                key["x-since"] = SINCE.into();
            }
        }
        schema
    }
}

//! The file of `ananke model`: a script, or one for each lane.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

use super::rule::ModelScript;
use crate::model::{File, TAG_DEFAULTS, is_extension_key, scalars};
use ananke_base::source::{self, FreeMap, Node, TypeMismatch};

/// The content of a script file. Its version is read with the rest of the file's frame.
#[derive(Clone, Debug)]
pub enum ScriptFile {
    /// Answers to every request.
    Script(Box<ModelScript>),
    /// Answers to the requests of each lane, by its name.
    Lanes(FreeMap<ModelScript>),
}

/// The key of a file with several scripts.
const LANES: &str = "lanes";

/// The key that every kind of file has.
const VERSION: &str = "version";

/// A script file with several lanes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaneScripts {
    /// The script of each lane, by the name that its requests have in their URL or in `baggage`.
    #[schemars(extend("x-since" = "1.4"), with = "std::collections::BTreeMap<String, ModelScript>", example = serde_json::json!({ "pays": { "replies": [{ "say": "Paid." }] } }))]
    lanes: FreeMap<ModelScript>,
}

impl File for ScriptFile {
    fn read(root: &Node) -> Result<Self, TypeMismatch> {
        let of_frame = |key: &str| key == VERSION || is_extension_key(key);
        if root.get(LANES).is_some() {
            let LaneScripts { lanes } = source::from_mapping(root, TAG_DEFAULTS, of_frame)?;
            return Ok(Self::Lanes(lanes));
        }
        let script = source::from_mapping(root, TAG_DEFAULTS, of_frame)?;
        Ok(Self::Script(Box::new(script)))
    }
}

impl JsonSchema for ScriptFile {
    fn schema_name() -> Cow<'static, str> {
        "ScriptFile".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = ModelScript::json_schema(generator);
        let lanes = LaneScripts::json_schema(generator);
        // The keys of one script are at the top of the file, so that a file without lanes needs no level of its own.
        let mut properties = json!({
            VERSION: {
                "description": "The schema version that this file is written for (default: the newest).",
                "x-since": "1.4",
            },
        });
        if let Some(version) = scalars::version_schema(generator).to_value().as_object() {
            for (key, value) in version {
                properties[VERSION][key] = value.clone();
            }
        }
        properties[LANES] = lanes.to_value()["properties"][LANES].clone();
        if let (Some(all), Some(Value::Object(own))) =
            (properties.as_object_mut(), schema.remove("properties"))
        {
            all.extend(own);
        }
        let needed = schema.remove("anyOf");
        let frame = json_schema!({
            "description": "The script of a model, or one for each lane under `lanes`.",
            "properties": properties,
            "patternProperties": scalars::extension_keys(),
            "if": { "required": [LANES] },
            "then": {
                "properties": { VERSION: true, LANES: true },
                "patternProperties": { "^x-": true },
                "additionalProperties": false,
            },
            "else": { "anyOf": needed },
        });
        for (key, value) in frame.to_value().as_object().into_iter().flatten() {
            schema.insert(key.clone(), value.clone());
        }
        schema
    }
}

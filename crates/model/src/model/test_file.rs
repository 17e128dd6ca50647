//! A test file: one test, or a list of them.
//!
//! A file with one test has the same keys at its top as an entry of `tests`, so both are read as the same type.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{File, TAG_DEFAULTS, Test, is_extension_key, scalars};
use ananke_base::source::{self, Node, TypeMismatch};

/// The content of a test file. Its version is read with the rest of the file's frame.
#[derive(Clone, Debug)]
pub struct TestFile {
    /// Its tests, in order.
    pub tests: Vec<Test>,
}

/// The key of a file with several tests.
const TESTS: &str = "tests";

/// The key of the frame.
const VERSION: &str = "version";

/// A file with several tests.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestList {
    tests: Vec<Test>,
}

impl File for TestFile {
    fn read(root: &Node) -> Result<Self, TypeMismatch> {
        let of_frame = |key: &str| key == VERSION || is_extension_key(key);
        if root.get(TESTS).is_some() {
            let TestList { tests } = source::from_mapping(root, TAG_DEFAULTS, of_frame)?;
            return Ok(Self { tests });
        }
        source::from_mapping(root, TAG_DEFAULTS, of_frame).map(|test| Self { tests: vec![test] })
    }
}

impl JsonSchema for TestFile {
    fn schema_name() -> Cow<'static, str> {
        "TestFile".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let entry = generator.subschema_for::<Test>();
        let mut schema = Test::json_schema(generator);
        let mut properties = json!({
            VERSION: {
                "description": "The schema version this file is written for (default: that of the config).",
                "x-since": "1.0",
            },
            TESTS: {
                "description": "Several tests in one file; each entry has the same keys as a single-test file.",
                "type": "array",
                "minItems": 1,
                "items": entry,
                "examples": [[
                    { "name": "greets", "turns": [{ "user": "Hello" }] },
                    { "name": "says goodbye", "turns": [{ "user": "Bye" }] },
                ]],
                "x-since": "1.3",
            },
        });
        for (key, value) in scalars::version_schema(generator)
            .to_value()
            .as_object()
            .into_iter()
            .flatten()
        {
            properties[VERSION][key] = value.clone();
        }
        let own = schema.remove("properties");
        if let (Some(all), Some(Value::Object(own))) = (properties.as_object_mut(), own) {
            all.extend(own);
        }
        let needed = ["required", "anyOf"].map(|key| schema.remove(key));
        let frame = json_schema!({
            "description": "A test file: a single test (a conversation and its assertions), or several under `tests`.",
            "properties": properties,
            "patternProperties": scalars::extension_keys(),
            "if": { "required": [TESTS] },
            "then": {
                "properties": { VERSION: true, TESTS: true },
                "patternProperties": { "^x-": true },
                "additionalProperties": false,
            },
            "else": { "required": needed[0], "anyOf": needed[1] },
        });
        for (key, value) in frame.to_value().as_object().into_iter().flatten() {
            schema.insert(key.clone(), value.clone());
        }
        schema
    }
}

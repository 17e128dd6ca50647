//! A schema, from a type.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use super::tidy::{date, tidy};

/// The schema of `T`, under a title: draft-07, tidy enough for people and editors.
pub fn generate_of<T: JsonSchema>(title: &str) -> Value {
    let mut schema = generated::<T>();
    tidy(&mut schema, title);
    schema
}

/// The same for a format of which every key exists since `version`, if it does not say otherwise itself.
pub fn generate_since<T: JsonSchema>(title: &str, version: &str) -> Value {
    let mut schema = generated::<T>();
    date(&mut schema, version);
    tidy(&mut schema, title);
    schema
}

fn generated<T: JsonSchema>() -> Value {
    let generator: SchemaGenerator = SchemaSettings::draft07().into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// A schema as it is committed and printed.
pub fn text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

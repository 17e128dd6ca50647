//! A schema, from a type.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use super::tidy::tidy;

/// The schema of `T`, under a title: draft-07, tidy enough for people and editors.
pub fn generate_of<T: JsonSchema>(title: &str) -> Value {
    let generator: SchemaGenerator = SchemaSettings::draft07().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    tidy(&mut schema, title);
    schema
}

/// A schema as it is committed and printed.
pub fn text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

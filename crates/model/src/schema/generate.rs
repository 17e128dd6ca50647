//! A schema, from a type.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::tidy::{date, tidy};

/// The schema with which the program checks a kind of file that people write, under its name and title: draft-07.
pub fn generate_of<T: JsonSchema>(name: &str, title: &str) -> Value {
    let mut schema = generated::<T>(SchemaSettings::draft07());
    tidy(&mut schema, &id(name), title);
    schema
}

/// The schema of a format that programs read, of which every key exists since `version`, if it does not say otherwise itself.
pub fn generate_since<T: JsonSchema>(name: &str, title: &str, version: &str) -> Value {
    dated(
        generated::<T>(SchemaSettings::draft07()),
        name,
        title,
        version,
    )
}

/// The same, of a document that is only read again by the program itself: what that takes for a field that is not there is no
/// part of the format.
pub fn generate_written<T: JsonSchema>(name: &str, title: &str, version: &str) -> Value {
    let settings = SchemaSettings::draft07().for_serialize().with(|settings| {
        let as_written = RecursiveTransform(|schema: &mut Schema| {
            for word in ["default", "readOnly"] {
                schema.remove(word);
            }
        });
        settings.transforms.insert(0, Box::new(as_written));
    });
    dated(generated::<T>(settings), name, title, version)
}

fn dated(mut schema: Value, name: &str, title: &str, version: &str) -> Value {
    date(&mut schema, version);
    tidy(&mut schema, &id(name), title);
    schema
}

/// The address of a schema in the catalogue that editors read. Nothing is fetched from it.
pub(super) fn id(name: &str) -> String {
    format!("https://www.schemastore.org/ananke-{name}.json")
}

fn generated<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let generator: SchemaGenerator = settings.into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// A schema as it is committed and printed.
pub fn text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

//! The schemas, from the types of the model.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use super::embedded::FileKind;
use super::tidy::tidy;
use crate::model::{ConfigFile, TestFile};

/// The schema of a kind of file, newest version, draft-07 (which every editor's YAML support reads).
pub fn generate(kind: FileKind) -> Value {
    match kind {
        FileKind::Config => generate_of::<ConfigFile>(kind.title()),
        FileKind::Test => generate_of::<TestFile>(kind.title()),
    }
}

/// The schema of `T`, under a title, as tidy as those of the files: how reports describe what they write.
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

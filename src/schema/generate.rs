//! The schemas, from the types of the model.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{FileKind, tidy};
use crate::model::{ConfigFile, TestFile};

/// The schema of a kind of file, newest version, draft-07 (which every editor's YAML support reads).
pub fn generate(kind: FileKind) -> Value {
    let generator: SchemaGenerator = SchemaSettings::draft07().into_generator();
    let schema = match kind {
        FileKind::Config => generator.into_root_schema_for::<ConfigFile>(),
        FileKind::Test => generator.into_root_schema_for::<TestFile>(),
    };
    let mut schema = schema.to_value();
    tidy::tidy(&mut schema, kind.title());
    schema
}

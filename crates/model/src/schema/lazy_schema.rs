//! A committed schema whose definitions are read when they are first referred to. Most files need few of them, and reading all
//! would be most of the time of a check of one file.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{FileKind, embedded::committed};

/// A schema whose definitions are read one by one.
#[derive(Debug)]
pub(super) struct LazySchema {
    /// The schema without its definitions.
    pub(super) root: Value,
    definitions: HashMap<&'static str, LazyDefinition>,
}

#[derive(Debug)]
struct LazyDefinition {
    text: &'static RawValue,
    read: OnceLock<Value>,
}

impl LazySchema {
    /// The schema of a kind of file.
    pub(super) fn of(kind: FileKind) -> &'static Self {
        static CONFIG: OnceLock<LazySchema> = OnceLock::new();
        static TEST: OnceLock<LazySchema> = OnceLock::new();
        static CASE: OnceLock<LazySchema> = OnceLock::new();
        let cell = match kind {
            FileKind::Config => &CONFIG,
            FileKind::Test => &TEST,
            FileKind::Case => &CASE,
        };
        cell.get_or_init(|| {
            let nothing = || Self {
                root: Value::Bool(true),
                definitions: HashMap::new(),
            };
            // A test holds that the committed text is what the types make; it always parses.
            let read =
                serde_json::Deserializer::from_str(committed(kind)).deserialize_map(SchemaVisitor);
            read.unwrap_or_else(|_| nothing())
        })
    }

    /// The definition that a `$ref` refers to: `#/definitions/Turn`.
    pub(super) fn definition(&self, reference: &str) -> Option<&Value> {
        let definition = self
            .definitions
            .get(reference.strip_prefix("#/definitions/")?)?;
        Some(definition.read.get_or_init(|| {
            serde_json::from_str(definition.text.get()).unwrap_or(Value::Bool(true))
        }))
    }

    /// Whether `schema` is this schema as a whole.
    pub(super) fn is_root(&self, schema: &Value) -> bool {
        std::ptr::eq(schema, &raw const self.root)
    }
}

/// Reads the top level of a schema.
struct SchemaVisitor;

impl<'de: 'static> Visitor<'de> for SchemaVisitor {
    type Value = LazySchema;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a schema")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<LazySchema, A::Error> {
        let mut root = Map::new();
        let mut definitions = HashMap::new();
        while let Some(key) = entries.next_key::<&'static str>()? {
            if key == "definitions" {
                let texts: HashMap<&'static str, &'static RawValue> = entries.next_value()?;
                let unread = |text| LazyDefinition {
                    text,
                    read: OnceLock::new(),
                };
                definitions = texts
                    .into_iter()
                    .map(|(name, text)| (name, unread(text)))
                    .collect();
            } else {
                root.insert(key.to_owned(), entries.next_value()?);
            }
        }
        Ok(LazySchema {
            root: Value::Object(root),
            definitions,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::embedded::embedded;
    use super::*;

    #[test]
    fn it_has_what_the_committed_schema_has() {
        for kind in FileKind::ALL.iter().chain([&FileKind::Case]) {
            let mut whole = embedded(*kind).clone();
            let definitions = whole
                .as_object_mut()
                .and_then(|whole| whole.shift_remove("definitions"));
            let schema = LazySchema::of(*kind);
            assert_eq!(schema.root, whole);
            let definitions = definitions.expect("definitions");
            assert_eq!(
                definitions.as_object().map(Map::len),
                Some(schema.definitions.len())
            );
            for (name, definition) in definitions.as_object().expect("a mapping") {
                assert_eq!(
                    schema.definition(&format!("#/definitions/{name}")),
                    Some(definition),
                    "{name}"
                );
            }
        }
    }
}

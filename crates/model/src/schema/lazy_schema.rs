//! A committed schema whose definitions are read when they are first referred to. Most files need few of them, and reading all
//! would be most of the time of a check of one file.

use std::collections::HashMap;
use std::sync::OnceLock;

use memchr::memmem;
use serde_json::Value;

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
    text: &'static str,
    read: OnceLock<Value>,
}

impl LazySchema {
    /// The schema of a kind of file.
    pub(super) fn of(kind: FileKind) -> &'static Self {
        static CONFIG: OnceLock<LazySchema> = OnceLock::new();
        static TEST: OnceLock<LazySchema> = OnceLock::new();
        static CASE: OnceLock<LazySchema> = OnceLock::new();
        static SCRIPT: OnceLock<LazySchema> = OnceLock::new();
        let cell = match kind {
            FileKind::Config => &CONFIG,
            FileKind::Test => &TEST,
            FileKind::Case => &CASE,
            FileKind::Script => &SCRIPT,
        };
        cell.get_or_init(|| {
            let nothing = || Self {
                root: Value::Bool(true),
                definitions: HashMap::new(),
            };
            // A test holds that the committed text is what the types make; it always parses.
            Self::of_text(committed(kind)).unwrap_or_else(nothing)
        })
    }

    /// Takes the text apart at its lines, which costs a tenth of what reading it as JSON does: a committed schema has two
    /// spaces of indentation for each level, and its definitions come last.
    fn of_text(text: &'static str) -> Option<Self> {
        const DEFINITIONS: &str = ",\n  \"definitions\": {\n";
        const END: &str = "\n    }";
        let start = memmem::find(text.as_bytes(), DEFINITIONS.as_bytes())?;
        let root = serde_json::from_str(&format!("{}}}", &text[..start])).ok()?;
        let mut definitions = HashMap::new();
        let mut rest = &text[start + DEFINITIONS.len()..];
        let end = memmem::Finder::new(END);
        while let Some(entry) = rest.strip_prefix("    \"") {
            let (name, value) = entry.split_once("\": ")?;
            let (value, behind) = value.split_at(end.find(value.as_bytes())? + END.len());
            let read = OnceLock::new();
            definitions.insert(name, LazyDefinition { text: value, read });
            rest = behind.strip_prefix(",\n").unwrap_or(behind);
        }
        Some(Self { root, definitions })
    }

    /// The definition that a `$ref` refers to: `#/definitions/Turn`.
    pub(super) fn definition(&self, reference: &str) -> Option<&Value> {
        let definition = self
            .definitions
            .get(reference.strip_prefix("#/definitions/")?)?;
        Some(
            definition
                .read
                .get_or_init(|| serde_json::from_str(definition.text).unwrap_or(Value::Bool(true))),
        )
    }

    /// Whether `schema` is this schema as a whole.
    pub(super) fn is_root(&self, schema: &Value) -> bool {
        std::ptr::eq(schema, &raw const self.root)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::super::embedded::embedded;
    use super::*;

    #[test]
    fn it_has_what_the_committed_schema_has() {
        for kind in FileKind::EVERY {
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

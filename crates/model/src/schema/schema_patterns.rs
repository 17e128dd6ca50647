//! The patterns within a JSON Schema: which are valid, and the schema with each as the engine reads it.
//!
//! **Invariant:** a pattern is called invalid only where the standard reads it as one, and only if ECMA-262 says so.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::ecma_pattern::translated;
use super::interruptible::{COSTLY_STEP, MAPS, VALUES, push_step};
use super::schema_error::SchemaError;

/// Keywords that have a schema, or several.
const SCHEMAS: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// The validator of one pattern: the grammar of ECMA-262 itself.
static ECMA_262: LazyLock<Option<Validator>> = LazyLock::new(|| {
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&json!({ "format": "regex" })).ok()
});

/// The patterns that a schema has.
#[derive(Default)]
pub(super) struct SchemaPatterns {
    /// Those that the engine writes differently, each in its words and as written.
    pub(super) rewritten: Vec<(String, String)>,
    /// The first that the engine has no words for.
    pub(super) untranslated: Option<String>,
    is_changed: bool,
}

/// What the standard makes of a part of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaPartKind {
    Schema,
    /// The value of a keyword that the standard does not know: a reference may use it as a schema.
    Unknown,
}

/// Reads the patterns of `schema`. The second value is the schema to compile, if that is another one.
///
/// # Errors
/// If a pattern is not valid.
pub(super) fn with_patterns(
    schema: &Value,
) -> Result<(SchemaPatterns, Option<Value>), SchemaError> {
    let mut patterns = SchemaPatterns::default();
    if !has_patterns(schema) {
        return Ok((patterns, None));
    }
    let mut copy = schema.clone();
    patterns.read(&mut copy, &mut Vec::new(), SchemaPartKind::Schema)?;
    let compiled = patterns.is_changed.then_some(copy);
    Ok((patterns, compiled))
}

/// A test that a key somewhere in `schema` is that of patterns.
fn has_patterns(schema: &Value) -> bool {
    match schema {
        Value::Object(keys) => keys
            .iter()
            .any(|(key, value)| key.starts_with("pattern") || has_patterns(value)),
        Value::Array(items) => items.iter().any(has_patterns),
        _ => false,
    }
}

impl SchemaPatterns {
    /// Reads a part, and rewrites its patterns.
    fn read(
        &mut self,
        part: &mut Value,
        path: &mut Vec<String>,
        kind: SchemaPartKind,
    ) -> Result<(), SchemaError> {
        let keys = match part {
            Value::Object(keys) => keys,
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.below(item, &index.to_string(), path, kind)?;
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        let is_backtracking = self.own_patterns(keys, path, kind)?;
        for (key, value) in keys.iter_mut() {
            match value {
                _ if VALUES.contains(&key.as_str()) => {}
                Value::Object(named) if MAPS.contains(&key.as_str()) => {
                    path.push(key.clone());
                    for (name, schema) in named.iter_mut() {
                        self.below(schema, name, path, kind)?;
                    }
                    path.pop();
                }
                _ if SCHEMAS.contains(&key.as_str()) => self.below(value, key, path, kind)?,
                _ => self.below(value, key, path, SchemaPartKind::Unknown)?,
            }
        }
        // Between two patterns that take long there is a look at the clock.
        if is_backtracking {
            self.is_changed = true;
            push_step(keys, COSTLY_STEP);
        }
        Ok(())
    }

    fn below(
        &mut self,
        part: &mut Value,
        step: &str,
        path: &mut Vec<String>,
        kind: SchemaPartKind,
    ) -> Result<(), SchemaError> {
        path.push(step.to_owned());
        self.read(part, path, kind)?;
        path.pop();
        Ok(())
    }

    /// Rewrites `pattern` and `patternProperties`. Answers whether one of the patterns may take long.
    fn own_patterns(
        &mut self,
        keys: &mut Map<String, Value>,
        path: &[String],
        kind: SchemaPartKind,
    ) -> Result<bool, SchemaError> {
        let mut is_backtracking = false;
        if let Some(Value::String(pattern)) = keys.get_mut("pattern") {
            let place = path.iter().map(String::as_str).chain(["pattern"]);
            is_backtracking |= self.rewrite(pattern, place, kind)?;
        }
        if let Some(Value::Object(named)) = keys.get_mut("patternProperties") {
            for (mut pattern, schema) in std::mem::take(named) {
                let place = path.iter().map(String::as_str);
                let place = place.chain(["patternProperties"]);
                is_backtracking |= self.rewrite(&mut pattern, place, kind)?;
                named.insert(pattern, schema);
            }
        }
        Ok(is_backtracking)
    }

    /// Rewrites one pattern as the engine reads it. Answers whether it may take long.
    fn rewrite<'s>(
        &mut self,
        pattern: &mut String,
        place: impl Iterator<Item = &'s str>,
        kind: SchemaPartKind,
    ) -> Result<bool, SchemaError> {
        let written = Value::from(pattern.as_str());
        if ECMA_262
            .as_ref()
            .is_some_and(|known| !known.is_valid(&written))
        {
            if kind == SchemaPartKind::Unknown {
                return Ok(false);
            }
            return Err(SchemaError {
                path: place.map(str::to_owned).collect(),
                message: format!("{written} is not a regular expression of ECMA-262"),
            });
        }
        let Some(engine) = translated(pattern) else {
            self.untranslated.get_or_insert_with(|| pattern.clone());
            return Ok(false);
        };
        if engine.text != *pattern {
            self.is_changed = true;
            let written = std::mem::replace(pattern, engine.text.clone());
            self.rewritten.push((engine.text, written));
        }
        Ok(engine.is_backtracking)
    }
}

//! Schemas whose validation can be given up: of those that refer to themselves, or to one definition several times, a few lines
//! can mean more steps than any machine takes.

use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value, json};

/// The keyword that counts a step. No schema that people write has it.
pub(super) const STEP: &str = "\u{1}step";

/// The keyword that counts a step that may be a long one.
pub(super) const COSTLY_STEP: &str = "\u{1}costly step";

/// Keywords with which a schema applies others to the same value, or several to one part of it.
const BRANCHES: [&str; 11] = [
    "allOf",
    "anyOf",
    "contains",
    "dependencies",
    "dependentSchemas",
    "if",
    "not",
    "oneOf",
    "patternProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose values are no schemas.
pub(super) const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];

/// Keywords that hold schemas by name, or names alone.
pub(super) const MAPS: [&str; 7] = [
    "$defs",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// The keywords [`STEP`] and [`COSTLY_STEP`], which every value fits, with what they count.
pub(super) struct StepKeyword(pub(crate) fn());

impl<'i> Keyword<'i> for StepKeyword {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        self.0();
        Ok(())
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        self.0();
        true
    }
}

/// The same schema, which counts a step wherever it branches; `None` if it cannot mean more than it says.
pub(super) fn interruptible(schema: &Value) -> Option<Value> {
    if !repeats(schema) {
        return None;
    }
    let mut counted = schema.clone();
    count_steps(&mut counted);
    Some(counted)
}

/// A test that a part of a schema may apply more than once to one value.
fn repeats(schema: &Value) -> bool {
    let is_repeating = |key: &str| key.ends_with("ef") || key.starts_with("unevaluated");
    match schema {
        Value::Object(keys) => keys
            .iter()
            .any(|(key, value)| is_repeating(key) || repeats(value)),
        Value::Array(items) => items.iter().any(repeats),
        _ => false,
    }
}

/// Adds a step to every schema that branches. What is under a keyword that is not known may be referred to as a schema too.
fn count_steps(schema: &mut Value) {
    let Value::Object(keys) = schema else {
        if let Value::Array(items) = schema {
            items.iter_mut().for_each(count_steps);
        }
        return;
    };
    for (key, value) in keys.iter_mut() {
        match value {
            _ if VALUES.contains(&key.as_str()) => {}
            Value::Object(named) if MAPS.contains(&key.as_str()) => {
                named
                    .values_mut()
                    .filter(|value| value.is_object())
                    .for_each(count_steps);
            }
            _ => count_steps(value),
        }
    }
    if BRANCHES.iter().any(|key| keys.contains_key(*key)) {
        push_step(keys, STEP);
    }
}

/// Adds the step `keyword` to a schema.
pub(super) fn push_step(keys: &mut Map<String, Value>, keyword: &str) {
    // The parts of `allOf` come before those of the other keywords. The last has no schema after it, whose place would change.
    let all = keys.entry("allOf").or_insert_with(|| json!([]));
    if let Value::Array(parts) = all {
        parts.push(json!({ keyword: true }));
    }
}

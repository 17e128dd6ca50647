//! The values that arguments can have, according to their schema, and those that they had.

use std::collections::BTreeSet;

use serde_json::Value;

use ananke_trace::trace::{Path, json_key};

/// The largest depth to which a schema or an argument is read.
const DEEPEST: usize = 16;

/// The number of values that one schema or one call contributes.
const MOST_VALUES: usize = 1000;

/// A place in arguments: keys with dots between them, `[]` for every item of a list.
pub(super) type ArgumentPath = String;

/// A value as JSON.
pub(super) type WrittenValue = String;

/// The values that a schema lists with `enum` or `const`, each with its place.
pub(super) fn declared(schema: &Value) -> BTreeSet<(ArgumentPath, WrittenValue)> {
    let mut found = BTreeSet::new();
    let mut walk = SchemaWalk {
        root: schema,
        found: &mut found,
        visited: 0,
    };
    walk.collect(schema, "", 0);
    found
}

/// The scalars in the arguments of a call, each with its place.
pub(super) fn seen(args: &Value) -> BTreeSet<(ArgumentPath, WrittenValue)> {
    let mut found = BTreeSet::new();
    collect_scalars(args, "", 0, &mut found);
    found
}

struct SchemaWalk<'s> {
    root: &'s Value,
    found: &'s mut BTreeSet<(ArgumentPath, WrittenValue)>,
    /// The number of parts that were read: references can make a schema larger than its text.
    visited: usize,
}

impl SchemaWalk<'_> {
    /// Adds the values that `schema` lists for the argument at `path`, and for the arguments within it.
    fn collect(&mut self, schema: &Value, path: &str, depth: usize) {
        self.visited += 1;
        // References may form a cycle, or make a schema far larger than its text. Most parts of a schema list no value, so that
        // ten times as many parts as values may be visited.
        if depth > DEEPEST || self.visited > 10 * MOST_VALUES || self.found.len() >= MOST_VALUES {
            return;
        }
        // Only references within the schema are followed: nothing is fetched from a file or a server.
        if let Some(Value::String(reference)) = schema.get("$ref")
            && let Some(pointer) = reference.strip_prefix('#')
            && let Some(part) = self.root.pointer(pointer)
        {
            self.collect(part, path, depth + 1);
        }

        if let Some(Value::Array(listed)) = schema.get("enum") {
            for value in listed {
                self.insert(path, value);
            }
        }
        if let Some(value) = schema.get("const") {
            self.insert(path, value);
        }

        if let Some(Value::Object(properties)) = schema.get("properties") {
            for (key, part) in properties {
                self.collect(part, &Path::within(path, key), depth + 1);
            }
        }
        if let Some(items) = schema.get("items") {
            self.collect(items, &format!("{path}[]"), depth + 1);
        }
        // All parts of a combination are read, although one part may exclude a value of another: finding that out would need a
        // validator, and such a value is only a hole in the report.
        for combination in ["anyOf", "oneOf", "allOf"] {
            if let Some(Value::Array(parts)) = schema.get(combination) {
                for part in parts {
                    self.collect(part, path, depth + 1);
                }
            }
        }
    }

    /// Adds a value that the schema lists; the arguments as a whole, objects and lists are none that a test could name.
    fn insert(&mut self, path: &str, value: &Value) {
        let is_scalar = !value.is_array() && !value.is_object();
        if is_scalar && !path.is_empty() && self.found.len() < MOST_VALUES {
            self.found.insert((path.to_owned(), json_key(value)));
        }
    }
}

/// Adds every scalar within `value` to `found`, with its place. `path` is the place of `value` itself. A very deep or large
/// argument is read only in part, since a report on it would not be read.
fn collect_scalars(
    value: &Value,
    path: &str,
    depth: usize,
    found: &mut BTreeSet<(ArgumentPath, WrittenValue)>,
) {
    if depth > DEEPEST || found.len() >= MOST_VALUES {
        return;
    }
    match value {
        Value::Object(entries) => {
            for (key, part) in entries {
                collect_scalars(part, &Path::within(path, key), depth + 1, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect_scalars(item, &format!("{path}[]"), depth + 1, found);
            }
        }
        // Arguments that are a single scalar have no name under which a report could list them.
        _ if path.is_empty() => {}
        scalar => {
            found.insert((path.to_owned(), json_key(scalar)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(values: &BTreeSet<(String, String)>) -> Vec<String> {
        values
            .iter()
            .map(|(path, value)| format!("{path}={value}"))
            .collect()
    }

    #[test]
    fn values_are_found_wherever_a_schema_lists_them() {
        let schema = json!({
            "properties": {
                "unit": { "enum": ["celsius", "kelvin"] },
                "opts": { "properties": { "kind": { "const": 5 } } },
                "tags": { "type": "array", "items": { "$ref": "#/$defs/Tag" } },
                "maybe": { "anyOf": [{ "enum": [null] }, { "enum": ["x"] }] },
                "free": { "type": "string" },
                "lists": { "enum": [[1], { "a": 1 }] },
            },
            "$defs": { "Tag": { "enum": ["a"] } },
        });
        assert_eq!(
            shown(&declared(&schema)),
            [
                "maybe=\"x\"",
                "maybe=null",
                "opts.kind=5",
                "tags[]=\"a\"",
                "unit=\"celsius\"",
                "unit=\"kelvin\""
            ]
        );
        let args =
            json!({ "unit": "kelvin", "opts": { "kind": 5 }, "tags": ["a", "b"], "maybe": null });
        assert_eq!(
            shown(&seen(&args)),
            [
                "maybe=null",
                "opts.kind=5",
                "tags[]=\"a\"",
                "tags[]=\"b\"",
                "unit=\"kelvin\""
            ]
        );
    }

    #[test]
    fn a_schema_without_end_is_walked_to_an_end() {
        let itself = json!({
            "properties": { "a": { "$ref": "#" }, "b": { "$ref": "#" }, "c": { "enum": [1] }, "d": { "$ref": "#" } },
        });
        let found = declared(&itself);
        assert!(!found.is_empty() && found.len() <= MOST_VALUES);
        for odd in [
            json!(null),
            json!([1]),
            json!({ "enum": 5 }),
            json!({ "$ref": "#/nowhere" }),
            json!("x"),
        ] {
            assert!(declared(&odd).is_empty() && seen(&odd).len() <= 1, "{odd}");
        }
        let wide: Value = (0..5000)
            .map(|number| (format!("k{number}"), json!(number)))
            .collect();
        assert_eq!(seen(&wide).len(), MOST_VALUES);
    }
}

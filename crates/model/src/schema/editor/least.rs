//! The least value that a schema allows: what an editor inserts for a key.

use serde_json::{Map, Value};

use super::super::demands::{demands, is_demand, keyword, least_keys};
use super::editor_schema::{DEEPEST, EditorSchema, branches};

/// The keys that a mapping needs; of several of which it needs one, the first.
pub(super) fn needed_keys(schema: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = least_keys(schema).collect();
    let either = keyword(schema, "anyOf").and_then(Value::as_array);
    let either = either.filter(|branches| branches.iter().all(is_demand));
    if let Some(first) = either.and_then(|branches| branches.first())
        && !demands(first).any(|key| keys.contains(&key))
    {
        keys.extend(demands(first));
    }
    keys
}

/// The example of a value.
pub(super) fn example(schema: &Value) -> Option<&Value> {
    keyword(schema, "examples")?.get(0)
}

impl<'s> EditorSchema<'s> {
    /// The least value under `key`, of examples where there are some. `null` is a blank, which the user fills in.
    pub(super) fn least(&self, schema: &'s Value, key: &str) -> Value {
        self.least_within(schema, key, DEEPEST)
    }

    fn least_within(&self, schema: &'s Value, key: &str, left: usize) -> Value {
        let known = [keyword(schema, "const"), keyword(schema, "default")];
        if let Some(known) = example(schema).or(known.into_iter().flatten().next()) {
            return known.clone();
        }
        if let Some(first) = keyword(schema, "enum").and_then(|words| words.get(0)) {
            return first.clone();
        }
        let Some(left) = left.checked_sub(1) else {
            return Value::Null;
        };
        if keyword(schema, "$ref").is_some() {
            return self.least_within(self.resolved(schema), key, left);
        }
        if let Some(first) = branches(schema).and_then(|branches| branches.first()) {
            return self.least_within(first, key, left);
        }
        if let Some(keys) = keyword(schema, "properties").and_then(Value::as_object) {
            return self.least_mapping(schema, keys, left);
        }
        match keyword(schema, "type").and_then(Value::as_str) {
            Some("array") => {
                let items =
                    keyword(schema, "items").map(|items| self.least_within(items, key, left));
                Value::Array(vec![items.unwrap_or_default()])
            }
            Some("integer" | "number") if key.ends_with("_ms") => 5000.into(),
            Some("integer" | "number") => keyword(schema, "minimum")
                .and_then(Value::as_u64)
                .unwrap_or(1)
                .max(1)
                .into(),
            Some("boolean") => true.into(),
            Some("object") => {
                let of_names = keyword(schema, "additionalProperties");
                let value = of_names.map(|schema| self.least_within(schema, "NAME", left));
                Value::Object(Map::from_iter([(
                    "NAME".to_owned(),
                    value.unwrap_or_default(),
                )]))
            }
            _ => Value::Null,
        }
    }

    /// A mapping with the keys that it needs, or else with one that has an example.
    fn least_mapping(&self, schema: &'s Value, keys: &'s Map<String, Value>, left: usize) -> Value {
        let mut needed = needed_keys(schema);
        if needed.is_empty() {
            let with_example = keys
                .iter()
                .find(|(_, property)| example(property).is_some());
            needed.extend(
                with_example
                    .or(keys.iter().next())
                    .map(|(key, _)| key.as_str()),
            );
        }
        let value = |key: &str| match keys.get(key) {
            Some(property) => self.least_within(property, key, left),
            None => Value::Null,
        };
        let entries = needed.into_iter().map(|key| (key.to_owned(), value(key)));
        Value::Object(entries.collect())
    }
}

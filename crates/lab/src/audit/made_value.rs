//! Values made from a JSON Schema.

use serde_json::{Map, Number, Value, json};

use ananke_base::context::interruption;
use ananke_model::schema::ValueSchema;
use ananke_run::WalkRandom;

/// The largest depth of values that are made.
const MOST_DEPTH: usize = 6;

/// The largest number of items of a list, and the largest length of a text, whatever its schema demands.
const MOST_SIZE: u64 = 10_000;

/// The most values of one object: a few lines of a schema can demand more than any machine holds.
const MOST_VALUES: usize = 20_000;

/// Texts of well-known formats and patterns.
const TEXTS: &[(&str, &str)] = &[
    ("email", "someone@example.org"),
    ("idn-email", "someone@example.org"),
    ("uri", "https://example.org/"),
    ("iri", "https://example.org/"),
    ("uri-reference", "/path"),
    ("hostname", "example.org"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uuid", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"),
    ("date-time", "2026-01-02T03:04:05Z"),
    ("date", "2026-01-02"),
    ("time", "03:04:05Z"),
    ("duration", "PT1H"),
    ("regex", "^a$"),
    ("json-pointer", "/a"),
    ("", "a"),
    ("", "A"),
    ("", "1"),
    ("", "abc"),
    ("", "ABC"),
    ("", "123"),
    ("", "a1"),
    ("", "A1"),
    ("", "a-b"),
    ("", "1.0.0"),
    ("", "#00ff00"),
];

/// The properties of an object that are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Properties {
    /// Those that are required.
    Required,
    /// All of them.
    All,
    /// Those that are required, and some others.
    Some,
}

/// Makes values of the schemas within `root`.
pub(super) struct ValueMaker<'s> {
    pub(super) root: &'s Value,
    pub(super) random: WalkRandom,
    /// The number of values so far of the object that is being made.
    pub(super) made: usize,
}

impl ValueMaker<'_> {
    /// A value that `schema` takes, if it is not an unusual one.
    pub(super) fn value(&mut self, schema: &Value, properties: Properties, depth: usize) -> Value {
        interruption::step();
        self.made += 1;
        if self.made > MOST_VALUES {
            return Value::Null;
        }
        let schema = &self.resolved(schema);
        if let Some(value) = self.given(schema, properties) {
            return value;
        }
        match type_of(schema) {
            "object" => Value::Object(self.object(schema, properties, depth)),
            "array" => self.array(schema, properties, depth),
            "integer" => self.integer(schema).into(),
            "number" => self.number(schema),
            "boolean" => (self.random.below(2) == 0).into(),
            "null" => Value::Null,
            _ => self.text(schema).into(),
        }
    }

    /// An object with the chosen properties.
    pub(super) fn object(
        &mut self,
        schema: &Value,
        properties: Properties,
        depth: usize,
    ) -> Map<String, Value> {
        if depth == 0 {
            self.made = 0;
        }
        let schema = &self.resolved(schema);
        let required = required(schema);
        let mut object = Map::new();
        for (name, property) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let is_made = required.contains(&name.as_str())
                || match properties {
                    Properties::Required => false,
                    Properties::All => depth < MOST_DEPTH,
                    Properties::Some => depth < MOST_DEPTH && self.random.below(2) == 0,
                };
            if is_made && depth <= 2 * MOST_DEPTH {
                object.insert(name.clone(), self.value(property, properties, depth + 1));
            }
        }
        for name in required {
            if !object.contains_key(name) {
                object.insert(name.to_owned(), "a".into());
            }
        }
        object
    }

    /// The schema that `schema` refers to, with all its parts together: of alternatives, the first.
    pub(super) fn resolved(&self, schema: &Value) -> Value {
        let mut resolved = schema.clone();
        for _ in 0..MOST_DEPTH {
            let Some(keywords) = resolved.as_object_mut() else {
                break;
            };
            let mut parts: Vec<Value> = Vec::new();
            if let Some(Value::String(place)) = keywords.shift_remove("$ref") {
                parts.extend(
                    place
                        .strip_prefix('#')
                        .and_then(|pointer| self.root.pointer(pointer))
                        .cloned(),
                );
            }
            if let Some(Value::Array(all)) = keywords.shift_remove("allOf") {
                parts.extend(all);
            }
            for alternatives in ["anyOf", "oneOf"] {
                if let Some(Value::Array(alternatives)) = keywords.shift_remove(alternatives) {
                    parts.extend(alternatives.into_iter().next());
                }
            }
            if parts.is_empty() {
                break;
            }
            for part in &parts {
                merge(keywords, part);
            }
        }
        resolved
    }

    /// A value that the schema names itself.
    fn given(&mut self, schema: &Value, properties: Properties) -> Option<Value> {
        if let Some(value) = schema.get("const") {
            return Some(value.clone());
        }
        if let Some(values) = schema
            .get("enum")
            .and_then(Value::as_array)
            .filter(|values| !values.is_empty())
        {
            return values.get(self.random.below(values.len())).cloned();
        }
        if let Some(values) = schema
            .get("examples")
            .and_then(Value::as_array)
            .filter(|values| !values.is_empty())
        {
            return values.get(self.random.below(values.len())).cloned();
        }
        schema
            .get("default")
            .filter(|_| properties != Properties::Some)
            .cloned()
    }

    fn array(&mut self, schema: &Value, properties: Properties, depth: usize) -> Value {
        let least = size(schema, "minItems").unwrap_or(0);
        let wanted = u64::from(depth < MOST_DEPTH && properties != Properties::Required);
        let count = least
            .max(wanted)
            .min(size(schema, "maxItems").unwrap_or(u64::MAX))
            .min(MOST_SIZE);
        let item = schema.get("items").cloned().unwrap_or(json!({}));
        Value::Array(
            (0..count)
                .map(|_| self.value(&item, properties, depth + 1))
                .collect(),
        )
    }

    fn integer(&mut self, schema: &Value) -> i64 {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a bound beyond the range becomes the end of the range"
        )]
        let whole = |bound: f64| bound as i64;
        let least = bound("minimum").map(|least| whole(least.ceil()));
        let least = least
            .max(bound("exclusiveMinimum").map(|least| whole(least.floor()).saturating_add(1)));
        let most = bound("maximum").map(|most| whole(most.floor()));
        let most = [
            most,
            bound("exclusiveMaximum").map(|most| whole(most.ceil()).saturating_sub(1)),
        ];
        let most = most.into_iter().flatten().min();
        let step = bound("multipleOf").map_or(1, whole).max(1);
        let start = match (least, most) {
            (Some(least), _) => least,
            (None, Some(most)) => most.saturating_sub(10).min(1),
            (None, None) => 1,
        };
        let start = start.saturating_add((step - start.rem_euclid(step)) % step);
        let more = i64::try_from(self.random.below(10)).unwrap_or_default();
        let chosen = start.saturating_add(step.saturating_mul(more));
        if most.is_some_and(|most| chosen > most) {
            start
        } else {
            chosen
        }
    }

    fn number(&mut self, schema: &Value) -> Value {
        let whole = self.integer(schema);
        let most = schema.get("maximum").and_then(Value::as_f64);
        // A range without an integer.
        let least = schema.get("minimum").and_then(Value::as_f64);
        match (least, most) {
            (Some(least), Some(most)) if least.ceil() > most => {
                Number::from_f64(least).map_or(Value::Null, Value::Number)
            }
            _ => whole.into(),
        }
    }

    fn text(&mut self, schema: &Value) -> String {
        let format = schema.get("format").and_then(Value::as_str);
        if let Some((_, text)) = TEXTS.iter().find(|(name, _)| Some(*name) == format) {
            return (*text).to_owned();
        }
        if schema.get("pattern").is_some()
            && let Ok(compiled) = ValueSchema::compile(schema.clone())
            && let Some((_, text)) = TEXTS
                .iter()
                .find(|(_, text)| compiled.mismatches(&json!(text)) == Ok(Vec::new()))
        {
            return (*text).to_owned();
        }
        let words = ["hello", "ananke", "42", "two words"];
        let mut text = words[self.random.below(words.len()).min(words.len() - 1)].to_owned();
        let least = size(schema, "minLength").unwrap_or(0).min(MOST_SIZE);
        let most = size(schema, "maxLength").unwrap_or(u64::MAX);
        while (text.chars().count() as u64) < least {
            text.push('a');
        }
        text.chars()
            .take(usize::try_from(most).unwrap_or(usize::MAX))
            .collect()
    }
}

/// The names of the required properties.
pub(super) fn required(schema: &Value) -> Vec<&str> {
    let names = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    names.filter_map(Value::as_str).collect()
}

/// A size that a schema demands.
pub(super) fn size(schema: &Value, key: &str) -> Option<u64> {
    schema.get(key).and_then(Value::as_u64)
}

/// The type of the values of a schema: what it says, or what its keywords are about.
pub(super) fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => {
            let mut names = names.iter().filter_map(Value::as_str);
            names.find(|name| *name != "null").unwrap_or("null")
        }
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ if schema.get("minimum").is_some() || schema.get("maximum").is_some() => "number",
        _ => "string",
    }
}

/// Adds the keywords of `part`: properties and required names are added to those that are there.
fn merge(keywords: &mut Map<String, Value>, part: &Value) {
    for (key, value) in part.as_object().into_iter().flatten() {
        match (keywords.get_mut(key), value) {
            (Some(Value::Object(known)), Value::Object(more)) if key == "properties" => {
                more.iter().for_each(|(name, schema)| {
                    known.entry(name.clone()).or_insert_with(|| schema.clone());
                });
            }
            (Some(Value::Array(known)), Value::Array(more)) if key == "required" => {
                known.extend(more.iter().cloned());
            }
            (Some(_), _) => {}
            (None, _) => {
                keywords.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(schema: &Value, properties: Properties) -> Value {
        ValueMaker {
            root: schema,
            random: WalkRandom::of_walk(7, 1),
            made: 0,
        }
        .value(schema, properties, 0)
    }

    #[test]
    fn what_is_made_satisfies_its_schema() {
        for schema in [
            json!({ "type": "object", "properties": { "a": { "type": "string", "minLength": 20, "maxLength": 25 } }, "required": ["a"] }),
            json!({ "type": "integer", "minimum": 5, "exclusiveMaximum": 7 }),
            json!({ "type": "integer", "minimum": 1, "maximum": 100, "multipleOf": 7 }),
            json!({ "type": "number", "minimum": 0.2, "maximum": 0.8 }),
            json!({ "maximum": -3, "type": "integer" }),
            json!({ "type": "array", "items": { "type": "boolean" }, "minItems": 3 }),
            json!({ "type": ["null", "string"], "maxLength": 2 }),
            json!({ "type": "string", "pattern": "^[A-Z][0-9]$" }),
            json!({ "type": "string", "format": "date" }),
            json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] }),
            json!({ "$defs": { "x": { "enum": ["p", "q"] } }, "type": "object", "properties": { "x": { "$ref": "#/$defs/x" } }, "required": ["x"] }),
            json!({ "allOf": [{ "properties": { "a": { "const": 1 } } }, { "required": ["a"] }], "type": "object" }),
        ] {
            let compiled = ValueSchema::compile(schema.clone()).expect("valid");
            for properties in [Properties::Required, Properties::All, Properties::Some] {
                let value = made(&schema, properties);
                assert_eq!(
                    compiled.mismatches(&value),
                    Ok(Vec::new()),
                    "{schema} {value}"
                );
            }
        }
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let schema = json!({ "type": "object", "properties": { "next": { "$ref": "#" } } });
        assert!(made(&schema, Properties::All).is_object());
        let endless = json!({ "type": "object", "properties": { "next": { "$ref": "#" } }, "required": ["next"] });
        assert!(made(&endless, Properties::Required).is_object());
        assert!(made(&json!({ "$ref": "#" }), Properties::All).is_string());
        assert!(
            made(
                &json!({ "minItems": u64::MAX, "type": "array" }),
                Properties::All
            )
            .is_array()
        );
    }
}

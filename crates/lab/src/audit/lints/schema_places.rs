//! The places of a schema of arguments: the parameters at any depth, and the parts that they consist of.

use std::collections::HashSet;

use serde_json::Value;

/// The most parts of a schema in which a description is looked for: references may go round.
const MOST_PARTS: usize = 100;

/// A place in a schema.
pub(super) struct SchemaPlace<'s> {
    /// The place in words, such as `edits[].text`; empty for the arguments as a whole.
    pub(super) words: String,
    /// The JSON pointer of the place in the schema.
    pub(super) pointer: String,
    /// The schema that is there.
    pub(super) schema: &'s Value,
    /// The name, if it is a parameter.
    pub(super) parameter: Option<&'s str>,
    /// Whether it is in one of several alternatives, which constants distinguish.
    pub(super) is_alternative: bool,
}

/// All places of a schema.
pub(super) struct SchemaPlaces<'s> {
    root: &'s Value,
    references: HashSet<&'s str>,
    /// The places, each once, also if several references lead there.
    pub(super) places: Vec<SchemaPlace<'s>>,
    /// Whether every reference leads to a place in the schema itself.
    pub(super) is_whole: bool,
}

impl<'s> SchemaPlaces<'s> {
    /// The places of the schema `root`.
    pub(super) fn of(root: &'s Value) -> Self {
        let mut found = Self {
            root,
            references: HashSet::new(),
            places: Vec::new(),
            is_whole: true,
        };
        found.add(SchemaPlace {
            words: String::new(),
            pointer: String::new(),
            schema: root,
            parameter: None,
            is_alternative: false,
        });
        found
    }

    /// Whether the schema at a place, one of its alternatives, or what they refer to, has a description.
    pub(super) fn is_described(&self, schema: &'s Value) -> bool {
        let mut open = vec![schema];
        for _ in 0..MOST_PARTS {
            let Some(schema) = open.pop() else { break };
            if has_description(schema) {
                return true;
            }
            let parts = ["anyOf", "oneOf", "allOf"]
                .iter()
                .filter_map(|keyword| schema.get(keyword)?.as_array());
            open.extend(parts.flatten());
            open.extend(
                schema
                    .get("$ref")
                    .and_then(|to| self.referred(to.as_str()?)),
            );
        }
        false
    }

    fn referred(&self, reference: &str) -> Option<&'s Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    /// Adds a place and everything in it.
    fn add(&mut self, place: SchemaPlace<'s>) {
        let (schema, is_alternative) = (place.schema, place.is_alternative);
        let (words, pointer) = (place.words.clone(), place.pointer.clone());
        self.places.push(place);
        let part = |words: String, pointer: String, schema| SchemaPlace {
            words,
            pointer,
            schema,
            parameter: None,
            is_alternative,
        };
        for (name, schema) in entries(schema, "properties") {
            let words = if words.is_empty() {
                name.clone()
            } else {
                format!("{words}.{name}")
            };
            let pointer = format!("{pointer}/properties/{}", escaped(name));
            self.add(SchemaPlace {
                parameter: Some(name),
                ..part(words, pointer, schema)
            });
        }
        for keyword in ["items", "additionalProperties"] {
            if let Some(schema @ Value::Object(_)) = schema.get(keyword) {
                let words = format!("{words}[]");
                self.add(part(words, format!("{pointer}/{keyword}"), schema));
            }
        }
        for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            let parts: &[Value] = schema
                .get(keyword)
                .and_then(Value::as_array)
                .map_or(&[], Vec::as_slice);
            // A value that may be null has no alternatives for that.
            let is_null = |part: &&Value| part.get("type") == Some(&Value::from("null"));
            let others = parts.len() - parts.iter().filter(is_null).count();
            let are_alternatives = keyword.ends_with("Of") && keyword != "allOf" && others > 1;
            for (number, schema) in parts.iter().enumerate() {
                let pointer = format!("{pointer}/{keyword}/{number}");
                self.add(SchemaPlace {
                    is_alternative: is_alternative || are_alternatives,
                    ..part(words.clone(), pointer, schema)
                });
            }
        }
        if let Some(Value::String(reference)) = schema.get("$ref") {
            match self.referred(reference) {
                Some(schema) if self.references.insert(reference) => {
                    self.add(part(words, reference[1..].to_owned(), schema));
                }
                Some(_) => {}
                None => self.is_whole = false,
            }
        }
    }
}

fn entries<'s>(schema: &'s Value, keyword: &str) -> impl Iterator<Item = (&'s String, &'s Value)> {
    schema
        .get(keyword)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

fn has_description(schema: &Value) -> bool {
    schema
        .get("description")
        .and_then(Value::as_str)
        .is_some_and(|description| !description.trim().is_empty())
}

/// A name as a token of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_place_is_found_once_and_references_end() {
        let schema = json!({
            "type": "object",
            "$defs": { "node": { "properties": { "next": { "$ref": "#/$defs/node" }, "a/b": {} } } },
            "properties": {
                "first": { "$ref": "#/$defs/node" },
                "list": { "items": { "properties": { "n": {} } } },
                "either": { "anyOf": [{ "properties": { "kind": {} } }, { "type": "string" }, { "type": "null" }] },
                "maybe": { "anyOf": [{ "properties": { "value": {} } }, { "type": "null" }] },
            },
        });
        let found = SchemaPlaces::of(&schema);
        let parameters: Vec<String> = found
            .places
            .iter()
            .filter(|place| place.parameter.is_some())
            .map(|place| {
                let sign = if place.is_alternative { " ?" } else { "" };
                format!("{} {}{sign}", place.words, place.pointer)
            })
            .collect();
        assert_eq!(
            parameters,
            [
                "first /properties/first",
                "first.next /$defs/node/properties/next",
                "first.a/b /$defs/node/properties/a~1b",
                "list /properties/list",
                "list[].n /properties/list/items/properties/n",
                "either /properties/either",
                "either.kind /properties/either/anyOf/0/properties/kind ?",
                "maybe /properties/maybe",
                "maybe.value /properties/maybe/anyOf/0/properties/value",
            ]
        );
        assert!(found.is_whole);
        assert!(!SchemaPlaces::of(&json!({ "$ref": "https://example.org/s" })).is_whole);
        assert!(!SchemaPlaces::of(&json!({ "$ref": "#/nowhere" })).is_whole);
    }

    #[test]
    fn a_description_may_be_where_a_reference_leads() {
        let schema = json!({
            "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "description": "B" }, "c": { "$ref": "#/$defs/c" },
                "maybe": { "anyOf": [{ "$ref": "#/$defs/a" }, { "type": "null" }] } },
        });
        let found = SchemaPlaces::of(&schema);
        for (place, expected) in [
            (json!({ "description": "A" }), true),
            (json!({ "description": " " }), false),
            (json!({ "title": "A" }), false),
            (json!(true), false),
            (
                json!({ "anyOf": [{ "type": "null" }, { "description": "A" }] }),
                true,
            ),
        ] {
            let place: &'static Value = Box::leak(Box::new(place));
            let found = SchemaPlaces::of(place);
            assert_eq!(found.is_described(place), expected, "{place}");
        }
        assert!(found.is_described(&schema["$defs"]["a"]));
        assert!(found.is_described(&schema["$defs"]["maybe"]));
        assert!(!found.is_described(&schema["$defs"]["c"]));
    }
}

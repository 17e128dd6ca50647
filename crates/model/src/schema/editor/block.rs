//! The keys of a mapping, for an editor: what is offered for each, and what it explains and checks.
//!
//! For a key, a language server inserts the one snippet of its schema. But where the cursor is inside the value, it offers the
//! same snippet as if it were a key. So what is inserted for a key with a mapping or a list is in a schema of its own, which
//! applies only while the key is not there (`offer`); for the value, it is in a branch that no value matches (`property`).

use serde_json::{Map, Value, json};

use super::super::demands::{SAME_AS, keyword};
use super::editor_schema::{EditorSchema, SNIPPETS, Syntax, has};
use super::least::example;
use super::line::{plain, snippet};
use super::sketch::sketch;

/// The keyword of a key that is not offered.
const IDLE: &str = "doNotSuggest";

/// The keys of a mapping as they are collected.
#[derive(Default)]
pub(super) struct OfferedKeys {
    properties: Map<String, Value>,
    conditions: Vec<Value>,
}

impl OfferedKeys {
    /// Adds a condition that the mapping must meet.
    pub(super) fn require(&mut self, condition: Value) {
        self.conditions.push(condition);
    }

    /// Allows a key that is explained elsewhere.
    pub(super) fn name_only(&mut self, key: &str) {
        self.properties.insert(key.to_owned(), true.into());
    }

    /// Adds a key, which is offered while neither itself nor one of the `others` is there.
    pub(super) fn add<'s>(
        &mut self,
        editor: &mut EditorSchema<'s>,
        key: &str,
        schema: &'s Value,
        others: &[&str],
    ) {
        if !schema.is_object() {
            self.name_only(key);
            return;
        }
        let mut property = editor.property(key, schema);
        if keyword(schema, IDLE).is_some() {
            property.insert(IDLE.to_owned(), true.into());
            self.properties.insert(key.to_owned(), property.into());
        } else if editor.syntax == Syntax::Yaml && editor.is_structured(schema) {
            property.insert(IDLE.to_owned(), true.into());
            self.properties.insert(key.to_owned(), property.into());
            let here: Vec<&str> = [&[key], others].concat();
            self.require(json!({ "if": has(&here), "else": { "properties": { key: editor.offer(key, schema) } } }));
        } else if others.is_empty() {
            self.properties.insert(key.to_owned(), property.into());
        } else {
            self.name_only(key);
            self.require(json!({ "if": has(others), "else": { "properties": { key: property } } }));
        }
    }

    /// The mapping with the other conditions of `schema`.
    pub(super) fn finished(self, schema: &Value) -> Map<String, Value> {
        let mut mapping = Map::from_iter([
            ("title".to_owned(), sketch(schema).into()),
            ("type".to_owned(), "object".into()),
        ]);
        if let Some(patterns) = keyword(schema, "patternProperties") {
            mapping.insert("patternProperties".to_owned(), patterns.clone());
        }
        for name in ["additionalProperties", "anyOf"] {
            if let Some(value) = keyword(schema, name) {
                mapping.insert(name.to_owned(), value.clone());
            }
        }
        let mut conditions = Vec::new();
        if let Some(required) = keyword(schema, "required") {
            // Next to the keys, a server would offer what is required once more, as a whole.
            conditions.push(json!({ "required": required }));
        }
        conditions.extend(self.conditions);
        let pairs = keyword(schema, "allOf").and_then(Value::as_array);
        conditions.extend(pairs.into_iter().flatten().cloned());
        mapping.insert("properties".to_owned(), self.properties.into());
        if !conditions.is_empty() {
            mapping.insert("allOf".to_owned(), conditions.into());
        }
        mapping
    }
}

/// The keys next to which `key` is wrong, or says the same once more.
pub(super) fn excluded<'s>(schema: &'s Value, key: &str) -> Vec<&'s str> {
    let mut found = Vec::new();
    let parts = keyword(schema, "allOf").and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        let pair = part.pointer("/not/required").and_then(Value::as_array);
        let pair: Vec<&str> = pair
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if pair.contains(&key) {
            found.extend(pair.into_iter().filter(|other| *other != key));
        }
    }
    let keys = keyword(schema, "properties").and_then(Value::as_object);
    for (name, property) in keys.into_iter().flatten() {
        match keyword(property, SAME_AS).and_then(Value::as_str) {
            Some(same) if same == key => found.push(name),
            Some(same) if name == key => found.push(same),
            _ => {}
        }
    }
    found
}

impl<'s> EditorSchema<'s> {
    /// What an editor explains of a key: its description, and an example in one line.
    fn about(&self, key: &str, schema: &Value) -> Option<String> {
        let description = keyword(schema, "description")?.as_str()?;
        let Some(example) = example(schema) else {
            return Some(description.to_owned());
        };
        let key = match self.syntax {
            Syntax::Yaml => key.to_owned(),
            Syntax::Json => format!("\"{key}\""),
        };
        Some(format!(
            "{description}\n\nExample: `{key}: {}`",
            plain(example, self.syntax)
        ))
    }

    /// What can be inserted as the value of a key: an example or the least value, or of a union of mappings that of each.
    pub(super) fn snippets(&self, key: &str, schema: &'s Value) -> Vec<Value> {
        let is_mapping = |form: &&'s Value| keyword(form, "properties").is_some();
        let mappings: Vec<&'s Value> = self.forms(schema).into_iter().filter(is_mapping).collect();
        let mut values = match (example(schema), mappings.len()) {
            (None, 2..) => mappings.iter().map(|form| self.least(form, key)).collect(),
            _ => vec![self.least(schema, key)],
        };
        values.retain(|value| !value.is_null() || self.syntax == Syntax::Json);
        values
            .iter()
            .map(|value| snippet(value, self.syntax))
            .collect()
    }

    /// The words among the forms of a value. They are inserted as they are.
    fn words(&self, schema: &'s Value) -> Vec<Value> {
        let mut words = Vec::new();
        for form in self.forms(schema) {
            let listed = keyword(form, "enum").and_then(Value::as_array);
            words.extend(listed.into_iter().flatten().cloned());
            words.extend(keyword(form, "const").cloned());
            if keyword(form, "type").is_some_and(|kind| kind == "boolean")
                && keyword(form, "const").is_none()
            {
                words.extend([true.into(), false.into()]);
            }
        }
        words
    }

    /// The part of a key's schema that explains it.
    fn explained(&self, key: &str, schema: &Value) -> Map<String, Value> {
        let mut property = Map::from_iter([("title".to_owned(), Value::from(key))]);
        if let Some(about) = self.about(key, schema) {
            property.insert("description".to_owned(), about.into());
        }
        for name in ["x-since", "default"] {
            if let Some(value) = keyword(schema, name) {
                property.insert(name.to_owned(), value.clone());
            }
        }
        property
    }

    /// What is inserted for a key that is not there yet.
    fn offer(&self, key: &str, schema: &'s Value) -> Value {
        let mut offer = self.explained(key, schema);
        offer.retain(|name, _| name == "description");
        let snippets = self.snippets(key, schema);
        // Without a type or a snippet, the key would be inserted without a colon.
        if snippets.is_empty() {
            offer.insert("type".to_owned(), "string".into());
        } else {
            offer.insert(SNIPPETS.to_owned(), snippets.into());
        }
        offer.into()
    }

    /// What explains and checks the value of a key.
    pub(super) fn property(&mut self, key: &str, schema: &'s Value) -> Map<String, Value> {
        let mut property = self.explained(key, schema);
        if let Some(words) = self.closed_words(schema) {
            // The value of a version is inserted as it is offered, with quotes.
            if let (true, Some(default)) = (
                words.contains_key("anyOf"),
                property.shift_remove("default"),
            ) {
                let quoted = default.to_string();
                let snippet = json!({ "label": quoted, "type": "string", "body": quoted });
                property.insert(SNIPPETS.to_owned(), json!([snippet]));
            }
            property.extend(words);
            return property;
        }
        let snippets = self.snippets(key, schema);
        let mut shape = self.shape(schema);
        if self.syntax == Syntax::Json || !self.is_structured(schema) {
            if keyword(&shape, "$ref").is_some() {
                // Next to a reference, the other keywords do not count.
                shape = json!({ "allOf": [shape] });
            }
            if keyword(schema, "default").is_none() && !snippets.is_empty() {
                property.insert(SNIPPETS.to_owned(), snippets.into());
            }
            if let Value::Object(shape) = shape {
                for (name, value) in shape {
                    property.entry(name).or_insert(value);
                }
            }
            return property;
        }
        let mut offered = snippets;
        for word in self.words(schema) {
            let label = plain(&word, self.syntax);
            let body = match &word {
                Value::String(_) => label.as_str().into(),
                _ => word.clone(),
            };
            if offered.iter().all(|known| known["label"] != *label) {
                offered.push(json!({ "label": label, "type": "string", "body": body }));
            }
        }
        let mut either = vec![json!({ "title": key })];
        if !offered.is_empty() {
            either.push(json!({ "title": "insert", "not": {}, SNIPPETS: offered }));
        }
        property.insert("anyOf".to_owned(), either.into());
        if shape.as_object().is_some_and(|shape| !shape.is_empty()) {
            // What is offered for the entries of a list would be offered for the list as well if it were not in a condition.
            property.insert("if".to_owned(), json!({}));
            property.insert("then".to_owned(), shape);
        }
        property
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::FileKind;
    use super::super::for_editors;
    use super::*;

    fn made(schema: &Value) -> Value {
        for_editors(FileKind::Config, schema)
    }

    #[test]
    fn a_key_with_a_mapping_is_offered_while_it_is_not_there() {
        let made = made(&json!({ "type": "object", "properties": {
            "tls": { "description": "Certificates.", "examples": [{ "ca": "a.pem" }], "type": "object", "properties": { "ca": {} } },
        }}));
        let offer = made.pointer("/allOf/0/else/properties/tls").unwrap();
        assert_eq!(offer["defaultSnippets"][0]["body"], "{ ca: ${1:a.pem} }");
        assert_eq!(
            made["allOf"][0]["if"],
            json!({ "type": "object", "required": ["tls"] })
        );
        let tls = &made["properties"]["tls"];
        assert_eq!(
            (&tls["title"], &tls["doNotSuggest"]),
            (&json!("tls"), &json!(true))
        );
        assert_eq!(
            tls["description"],
            "Certificates.\n\nExample: `tls: { ca: a.pem }`"
        );
        assert_eq!(tls["then"]["title"], "{ ca }");
    }

    #[test]
    fn of_two_keys_that_exclude_each_other_the_second_is_not_offered() {
        let made = made(
            &json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
            "allOf": [{ "not": { "required": ["a", "b"] } }] }),
        );
        let keys = json!({ "a": true, "b": true });
        assert_eq!(made["properties"], keys);
        let offered = json!({ "if": { "type": "object", "required": ["b"] },
            "else": { "properties": { "a": { "title": "a", "type": "string" } } } });
        assert_eq!(made["allOf"][0], offered);
        assert_eq!(
            made["allOf"][2],
            json!({ "not": { "required": ["a", "b"] } })
        );
    }
}

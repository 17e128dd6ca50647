//! Lists, for an editor: what it offers for their entries.
//!
//! A server offers nothing in an empty `{ }` on a line with a colon, but what is said of the list around it. So the keys of an
//! entry are said of the list as well, each as a snippet with one key: a server leaves out those that are there already, and
//! shows the same line only once.

use serde_json::{Map, Value, json};

use super::super::demands::keyword;
use super::super::union::{needs_tag, only_key, tag};
use super::block::excluded;
use super::editor_schema::{EditorSchema, SNIPPETS, Syntax, has};
use super::line::snippet;

/// The keys that are offered under one condition on the entries.
type Offered = Vec<(Value, Vec<Value>)>;

impl<'s> EditorSchema<'s> {
    /// Adds the entries of a list to its shape.
    pub(super) fn list(&mut self, shape: &mut Map<String, Value>, items: &'s Value) {
        let entry = self.shape(items);
        if self.syntax == Syntax::Json {
            let least = self.least(items, "");
            let mut entry = match entry {
                Value::Object(entry) if !entry.contains_key("$ref") => entry,
                entry => Map::from_iter([("allOf".to_owned(), json!([entry]))]),
            };
            if !entry.contains_key("enum") && !least.is_null() {
                entry.insert(SNIPPETS.to_owned(), json!([snippet(&least, self.syntax)]));
            }
            shape.insert("items".to_owned(), entry.into());
            return;
        }
        if !self.is_structured(items) {
            shape.insert("items".to_owned(), entry);
            return;
        }
        // Outside of a condition, a server would offer to begin an entry with `- `, also between brackets.
        shape.insert("items".to_owned(), json!({ "if": {}, "then": entry }));
        let least = self.least(items, "");
        let mut first = Vec::new();
        if !least.is_null() {
            first.push(snippet(&least, self.syntax));
        }
        shape.insert("if".to_owned(), json!({ "type": "array", "maxItems": 0 }));
        shape.insert("then".to_owned(), offered(&first));
        let conditions = self.entry_keys(items);
        if !conditions.is_empty() {
            shape.insert("else".to_owned(), json!({ "allOf": conditions }));
        }
    }

    /// The keys of an entry, as snippets of the list.
    fn entry_keys(&self, items: &'s Value) -> Vec<Value> {
        let forms = self.forms(items);
        let mappings: Vec<&'s Value> = forms
            .iter()
            .copied()
            .filter(|form| keyword(form, "properties").is_some())
            .collect();
        let mut known: Vec<&str> = mappings
            .iter()
            .flat_map(|mapping| keys(mapping))
            .map(|(key, _)| key)
            .collect();
        known.sort_unstable();
        known.dedup();
        // A key that is being typed is none that is known: it is offered where it is typed.
        let names = json!({ "type": "object", "propertyNames": { "pattern": format!("^({})$", known.join("|")) } });
        let can_be_text = forms
            .iter()
            .any(|form| keyword(form, "type").is_some_and(|kind| kind == "string"));
        let mut conditions = Vec::new();
        for (condition, snippets) in self.offered_keys(&mappings) {
            let mut entry = names.clone();
            if let (Some(entry), Value::Object(condition)) = (entry.as_object_mut(), condition) {
                entry.extend(condition);
            }
            if can_be_text {
                entry = json!({ "anyOf": [{ "type": "string" }, entry] });
            }
            conditions.push(
                json!({ "if": { "type": "array", "items": entry }, "then": offered(&snippets) }),
            );
        }
        conditions
    }

    /// The keys that can be added to an entry, by what must be true of all entries.
    fn offered_keys(&self, mappings: &[&'s Value]) -> Offered {
        let mut found = Offered::new();
        let mut add = |condition: Value, snippet: Value| match found
            .iter_mut()
            .find(|(known, _)| *known == condition)
        {
            Some((_, snippets)) => snippets.push(snippet),
            None => found.push((condition, vec![snippet])),
        };
        if mappings.iter().all(|mapping| only_key(mapping).is_some()) {
            for (key, property) in mappings.iter().flat_map(|mapping| keys(mapping)) {
                add(
                    json!({ "maxProperties": 0 }),
                    self.one_key_snippet(key, property),
                );
            }
        } else if mappings.iter().any(|mapping| tag(mapping).is_some()) {
            add(
                json!({}),
                json!({ "label": "type", "body": { "type": "" } }),
            );
            let by_default = mappings
                .iter()
                .find(|mapping| tag(mapping).is_some() && !needs_tag(mapping));
            for (key, property) in by_default.into_iter().flat_map(|mapping| keys(mapping)) {
                if key != "type" {
                    add(
                        json!({ "not": has(&["type"]) }),
                        self.one_key_snippet(key, property),
                    );
                }
            }
        } else if let Some(mapping) = mappings.first() {
            for (key, property) in keys(mapping) {
                let others = excluded(mapping, key);
                let condition = if others.is_empty() {
                    json!({})
                } else {
                    json!({ "not": has(&others) })
                };
                add(condition, self.one_key_snippet(key, property));
            }
        }
        found
    }

    /// The line that is also inserted for the key itself.
    fn one_key_snippet(&self, key: &str, property: &'s Value) -> Value {
        let mut value = Value::from("");
        if self.closed_words(property).is_none() {
            let snippets = self.snippets(key, property);
            if let [only] = snippets.as_slice() {
                value = only["body"].clone();
            }
        }
        json!({ "label": key, "body": { key: value } })
    }
}

/// What a server offers in a list: it looks for snippets only next to `items`.
fn offered(snippets: &[Value]) -> Value {
    json!({ "items": true, SNIPPETS: snippets })
}

fn keys(mapping: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let keys = keyword(mapping, "properties").and_then(Value::as_object);
    keys.into_iter()
        .flatten()
        .map(|(key, property)| (key.as_str(), property))
}

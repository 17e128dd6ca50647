//! The schema that editors and validators read, made from the one with which the program checks files.
//!
//! Both allow the same files. They differ in what an editor can do with them: `block` says which keys are offered where, `union`
//! which of them follow from a `type`, `entries` what is offered in a list. `least` finds what is inserted, `line` writes it,
//! `sketch` is what an editor calls a mapping. A language server looks for these things at few places; a comment at each
//! says what it does there, and `tests/real/schema-editors` applies everything that they offer.
//!
//! **Invariant:** everything that is inserted is one line, which means the same in block style and between braces; in JSON it
//! is JSON.

mod block;
mod editor_schema;
mod entries;
mod least;
mod line;
mod sketch;
mod union;

use serde_json::{Map, Value, json};

use super::FileKind;
use super::demands::keyword;
use super::tidy::in_order;
use block::OfferedKeys;
use editor_schema::{EditorSchema, Syntax, branches};

/// The keywords that check a value by itself.
const CHECKS: [&str; 10] = [
    "type",
    "const",
    "enum",
    "pattern",
    "minLength",
    "minimum",
    "maximum",
    "minItems",
    "minProperties",
    "maxProperties",
];

/// The schema of a kind of file as editors and validators read it.
pub fn for_editors(kind: FileKind, schema: &Value) -> Value {
    let syntax = match kind {
        FileKind::Config | FileKind::Test | FileKind::Script => Syntax::Yaml,
        FileKind::Case => Syntax::Json,
    };
    let mut editor = EditorSchema {
        definitions: keyword(schema, "definitions").and_then(Value::as_object),
        syntax,
        shared: Map::new(),
    };
    let mut whole = Map::new();
    for head in ["$schema", "$id", "title", "description"] {
        if let Some(value) = keyword(schema, head) {
            whole.insert(head.to_owned(), value.clone());
        }
    }
    for (name, value) in editor.root(schema) {
        whole.entry(name).or_insert(value);
    }
    let mut definitions = Map::new();
    for (name, definition) in editor.definitions.into_iter().flatten() {
        definitions.insert(name.clone(), editor.shape(definition));
    }
    definitions.append(&mut editor.shared);
    if !definitions.is_empty() {
        whole.insert("definitions".to_owned(), definitions.into());
    }
    let mut made = Value::Object(whole);
    in_order(&mut made);
    made
}

impl<'s> EditorSchema<'s> {
    /// The schema of a whole file. One with several tests has another shape than one with a single test.
    fn root(&mut self, schema: &'s Value) -> Map<String, Value> {
        let (Some(Value::Object(keys)), Some(single)) =
            (keyword(schema, "properties"), keyword(schema, "else"))
        else {
            return self.mapping(schema);
        };
        let mut block = OfferedKeys::default();
        let of_single: Vec<&str> = keys
            .keys()
            .map(String::as_str)
            .filter(|key| !["version", "tests"].contains(key))
            .collect();
        if let Some(tests) = keys.get("tests") {
            block.add(self, "tests", tests, &of_single);
        }
        // The single test is checked only where `tests` is not.
        let mut otherwise = OfferedKeys::default();
        for (key, property) in keys {
            match key.as_str() {
                "version" => otherwise.name_only(key),
                "tests" => {}
                _ => otherwise.add(self, key, property, &block::excluded(schema, key)),
            }
        }
        let mut otherwise = otherwise.finished(schema);
        if let Some(single) = single.as_object() {
            otherwise.extend(single.clone());
        }
        let mut several = keyword(schema, "then").cloned().unwrap_or_default();
        if let Some(several) = several.as_object_mut() {
            several.insert(
                "properties".to_owned(),
                json!({ "version": true, "tests": true }),
            );
        }
        block.require(json!({
            "if": { "type": "object", "required": ["tests"] },
            "then": several,
            "else": otherwise,
        }));
        if let Some(version) = keys.get("version") {
            block.add(self, "version", version, &[]);
        }
        block.finished(&Value::Null)
    }

    /// What a value is checked by: without words for people, which belong to the key.
    fn shape(&mut self, schema: &'s Value) -> Value {
        if let Some(reference) = keyword(schema, "$ref") {
            return json!({ "$ref": reference });
        }
        if let Some(branches) = keyword(schema, "oneOf").and_then(Value::as_array) {
            return self.union(branches);
        }
        if keyword(schema, "properties").is_some() {
            return self.mapping(schema).into();
        }
        let Some(keywords) = schema.as_object() else {
            return schema.clone();
        };
        let mut shape = Map::new();
        for (name, value) in keywords
            .iter()
            .filter(|(name, _)| CHECKS.contains(&name.as_str()))
        {
            shape.insert(name.clone(), value.clone());
        }
        if let Some(branches) = branches(schema) {
            let branches = branches
                .iter()
                .map(|branch| self.branch_shape(branch))
                .collect();
            shape.insert("anyOf".to_owned(), branches);
        }
        if let Some(items) = keyword(schema, "items") {
            self.list(&mut shape, items);
        }
        if keyword(schema, "type").is_some_and(|kind| kind == "object") {
            shape.insert("title".to_owned(), sketch::OF_NAMES.into());
            if let Some(of_names) = keyword(schema, "additionalProperties") {
                shape.insert("additionalProperties".to_owned(), self.shape(of_names));
            }
            if let Some(Value::Object(names)) = keyword(schema, "propertyNames") {
                let mut names = names.clone();
                // What an editor offers as a key, for want of one.
                names.insert("title".to_owned(), "PATH".into());
                shape.insert("propertyNames".to_owned(), names.into());
            }
        }
        shape.into()
    }

    /// The shape of one form of a value, with its name: of forms without one, a hover would show two next to each other.
    fn branch_shape(&mut self, branch: &'s Value) -> Value {
        let mut shape = self.shape(branch);
        if let (Some(title), Value::Object(shape)) = (keyword(branch, "title"), &mut shape) {
            shape.entry("title").or_insert_with(|| title.clone());
        }
        shape
    }

    /// A mapping with known keys.
    fn mapping(&mut self, schema: &'s Value) -> Map<String, Value> {
        let mut block = OfferedKeys::default();
        let keys = keyword(schema, "properties").and_then(Value::as_object);
        for (key, property) in keys.into_iter().flatten() {
            block.add(self, key, property, &block::excluded(schema, key));
        }
        block.finished(schema)
    }
}

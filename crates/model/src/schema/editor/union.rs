//! Unions, for an editor: words, mappings that a `type` chooses, and mappings with one key.

use serde_json::{Map, Value, json};

use super::super::demands::keyword;
use super::super::union::{choosing_key, needs_tag, only_key, tag};
use super::block::{OfferedKeys, excluded};
use super::editor_schema::{EditorSchema, has};

/// The words of an editor for a key that chooses what the other keys are.
const ABOUT_TYPE: &str = "The type, on which the other keys depend.";

impl<'s> EditorSchema<'s> {
    /// The words that a value can be, with what each means, if it can be nothing else.
    pub(super) fn closed_words(&self, schema: &'s Value) -> Option<Map<String, Value>> {
        let schema = self.resolved(schema);
        if let Some(branches) = keyword(schema, "oneOf").and_then(Value::as_array) {
            let words = branches
                .iter()
                .map(|branch| Some((keyword(branch, "const")?, branch)));
            return Some(words_of(&words.collect::<Option<Vec<_>>>()?));
        }
        let all = keyword(schema, "enum")?.as_array()?;
        let (texts, others): (Vec<&Value>, Vec<&Value>) =
            all.iter().partition(|word| word.is_string());
        let mut words = Map::from_iter([
            ("type".to_owned(), "string".into()),
            ("enum".to_owned(), json!(texts)),
        ]);
        if !others.is_empty() {
            // A version is offered as a text; the number that it is without quotes is allowed and not offered.
            words.insert("title".to_owned(), "text".into());
            let numbers = json!({ "title": "number", "not": { "not": { "enum": others } } });
            words = Map::from_iter([("anyOf".to_owned(), json!([words, numbers]))]);
        }
        Some(words)
    }

    /// A value that is one of these branches.
    pub(super) fn union(&mut self, branches: &'s [Value]) -> Value {
        let mut words = Vec::new();
        let mut mappings = Vec::new();
        for branch in branches {
            match keyword(branch, "const") {
                Some(word) => words.push((word, branch)),
                None => mappings.push(branch),
            }
        }
        let words = (!words.is_empty()).then(|| words_of(&words));
        if mappings.is_empty() {
            return words.unwrap_or_default().into();
        }
        let mapping = if mappings.iter().all(|branch| only_key(branch).is_some()) {
            self.one_key(&mappings)
        } else {
            self.by_type(&mappings)
        };
        match words {
            Some(mut words) => {
                words.insert("title".to_owned(), "word".into());
                json!({ "anyOf": [words, mapping] })
            }
            None => mapping.into(),
        }
    }

    /// A mapping with exactly one of the keys.
    fn one_key(&mut self, branches: &[&'s Value]) -> Map<String, Value> {
        let properties = branches
            .iter()
            .filter_map(|branch| keyword(branch, "properties")?.as_object());
        let properties: Vec<(&'s String, &'s Value)> = properties.flatten().collect();
        let keys: Vec<&str> = properties.iter().map(|(key, _)| key.as_str()).collect();
        let mut block = OfferedKeys::default();
        for (key, property) in &properties {
            let others: Vec<&str> = keys.iter().copied().filter(|other| other != key).collect();
            block.add(self, key, property, &others);
        }
        let named: Map<String, Value> = keys
            .iter()
            .map(|key| ((*key).to_owned(), json!({})))
            .collect();
        let mut mapping =
            block.finished(&json!({ "properties": named, "additionalProperties": false }));
        mapping.insert("minProperties".to_owned(), 1.into());
        mapping.insert("maxProperties".to_owned(), 1.into());
        mapping
    }

    /// A mapping whose `type`, or a key instead of it, says which other keys there are. Only they are offered.
    fn by_type(&mut self, branches: &[&'s Value]) -> Map<String, Value> {
        let mut tagged = Vec::new();
        let mut instead = Vec::new();
        for branch in branches {
            if let Some(name) = tag(branch) {
                tagged.push((name, *branch));
            } else if let Some(key) = choosing_key(branch) {
                instead.push((key, *branch));
            }
        }
        let mut block = OfferedKeys::default();
        for (key, branch) in &instead {
            if let Some(property) = branch.pointer(&format!("/properties/{key}")) {
                block.add(self, key, property, &["type"]);
            }
            let mapping = self.branch(branch, key);
            block.require(json!({ "if": has(&[key]), "then": mapping }));
        }
        for (name, branch) in &tagged {
            let mapping = self.branch(branch, "type");
            let mapping = self.share(name, mapping);
            block.require(json!({ "if": is_of_type(name, branch), "then": mapping }));
        }
        let keys: Vec<&str> = instead.iter().map(|(key, _)| *key).collect();
        if tagged.iter().all(|(_, branch)| needs_tag(branch)) {
            let chosen: Vec<Value> = ["type"]
                .iter()
                .chain(&keys)
                .map(|key| json!({ "required": [key] }))
                .collect();
            block.require(match chosen.as_slice() {
                [only] => only.clone(),
                _ => json!({ "anyOf": chosen }),
            });
        }
        let choice = choice(&tagged);
        let mut explained = Map::new();
        if keys.is_empty() {
            explained.insert("type".to_owned(), choice);
        } else {
            explained.insert("type".to_owned(), true.into());
            block
                .require(json!({ "if": has(&keys), "else": { "properties": { "type": choice } } }));
        }
        let mut mapping = block.finished(&Value::Null);
        let names: Vec<&str> = ["type"].into_iter().chain(keys).collect();
        mapping.insert(
            "title".to_owned(),
            format!("{{ {}, … }}", names.join(", ")).into(),
        );
        if let Some(Value::Object(properties)) = mapping.get_mut("properties") {
            properties.extend(explained);
        }
        mapping
    }

    /// The keys of a branch, of which `chosen_by` is explained where the branch is chosen.
    fn branch(&mut self, branch: &'s Value, chosen_by: &str) -> Map<String, Value> {
        let mut block = OfferedKeys::default();
        let keys = keyword(branch, "properties").and_then(Value::as_object);
        for (key, property) in keys.into_iter().flatten() {
            if key == chosen_by {
                block.name_only(key);
            } else {
                block.add(self, key, property, &excluded(branch, key));
            }
        }
        block.finished(branch)
    }

    /// A reference to the mapping of a type, under its name.
    fn share(&mut self, name: &str, mapping: Map<String, Value>) -> Value {
        let mapping = Value::Object(mapping);
        let known = self.shared.iter().find(|(_, known)| **known == mapping);
        if let Some((name, _)) = known {
            return json!({ "$ref": format!("#/definitions/{name}") });
        }
        let mut name = name.replace(':', ".");
        while self.shared.contains_key(&name) {
            name.push('+');
        }
        self.shared.insert(name.clone(), mapping);
        json!({ "$ref": format!("#/definitions/{name}") })
    }
}

/// The condition that a mapping of a type meets. Its word is not offered here once more.
fn is_of_type(name: &str, branch: &Value) -> Value {
    let mut condition =
        json!({ "properties": { "type": { "const": name, "doNotSuggest": true } } });
    if needs_tag(branch) {
        condition["type"] = "object".into();
        condition["required"] = json!(["type"]);
    }
    condition
}

/// The schema of the key that chooses one of the branches with these names.
fn choice(tagged: &[(&str, &Value)]) -> Value {
    let names: Vec<Value> = tagged.iter().map(|(name, _)| Value::from(*name)).collect();
    let branches = tagged.iter().map(|(_, branch)| *branch);
    let words: Vec<(&Value, &Value)> = names.iter().zip(branches).collect();
    let mut choice = words_of(&words);
    choice.insert("title".to_owned(), "type".into());
    choice.insert("description".to_owned(), ABOUT_TYPE.into());
    let since = tagged
        .iter()
        .find_map(|(_, branch)| keyword(branch, "x-since"));
    if let Some(since) = since {
        choice.insert("x-since".to_owned(), since.clone());
    }
    choice.into()
}

/// The words that a value can be. What a word means is said for it in the list: as the text of a form it would be shown
/// instead of what the key means.
fn words_of(words: &[(&Value, &Value)]) -> Map<String, Value> {
    let all: Vec<&Value> = words.iter().map(|(word, _)| *word).collect();
    let mut closed = Map::new();
    if all.iter().all(|word| word.is_string()) {
        closed.insert("type".to_owned(), "string".into());
    }
    let about = |branch: &Value| keyword(branch, "description").cloned();
    if words.iter().any(|(_, branch)| about(branch).is_some()) {
        let about = words
            .iter()
            .map(|(_, branch)| about(branch).unwrap_or_else(|| "".into()));
        closed.insert("enumDescriptions".to_owned(), about.collect());
    }
    closed.insert("enum".to_owned(), json!(all));
    closed
}

//! The meaning of a key of a config or test file, from the schemas.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

use super::{FileKind, forms::forms, lazy_schema::LazySchema, messages::expected, union::is_free};

/// The meaning of a key, at one place where it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDocs {
    /// The file that has it.
    pub file: FileKind,
    /// The keys that lead to it, joined by dots; `[]` is an entry of a list.
    pub path: String,
    /// Its own name.
    pub name: &'static str,
    /// A few sentences.
    pub about: &'static str,
    /// The kind of its value: `a list`.
    pub value: String,
    /// The schema version that brings it.
    pub since: &'static str,
    /// A value that it can have, as JSON.
    pub example: Option<String>,
    /// The values of `type` next to it with which it exists; empty if it does with each.
    pub types: Vec<&'static str>,
}

impl KeyDocs {
    /// Every key, each once, by the shortest path to it; those of test files first.
    pub fn all() -> Vec<Self> {
        let mut known = HashSet::new();
        let kinds = [FileKind::Test, FileKind::Config];
        let mut keys: Vec<Self> = kinds
            .into_iter()
            .flat_map(|kind| of_file(kind, &mut known))
            .collect();
        // An entry of several tests has the keys of a file with one.
        let mut known = HashSet::new();
        keys.retain(|key| known.insert((key.name, key.about)));
        keys
    }

    /// Whether `written` leads to this key by some of the keys of its path, in their order: `tools.every`, which reports call
    /// a rule that is written in an entry of `tools.require`.
    pub fn is_within(&self, written: &str) -> bool {
        let path = self.path.replace("[]", "");
        let mut keys = path.split('.');
        let is_led_to = written
            .split('.')
            .all(|wanted| keys.any(|key| key == wanted));
        is_led_to && keys.next().is_none()
    }

    /// Whether `written` means this key: its name, or its path from any of the keys on.
    pub fn is_called(&self, written: &str) -> bool {
        let path = self.path.replace("[]", "");
        path == written
            || path
                .strip_suffix(written)
                .is_some_and(|rest| rest.ends_with('.'))
    }
}

/// Names the types with which each key exists, with the first of those that have the same path and meaning. A key that exists with
/// each type names none.
fn name_types(keys: &mut [KeyDocs]) {
    let mut all: HashMap<String, HashSet<&str>> = HashMap::new();
    let mut own: HashMap<(String, &str), Vec<&'static str>> = HashMap::new();
    for key in keys.iter() {
        let same = own.entry((key.path.clone(), key.about)).or_default();
        same.extend(&key.types);
        all.entry(key.parent()).or_default().extend(&key.types);
    }
    for key in keys {
        let types = &own[&(key.path.clone(), key.about)];
        let is_of_each = types.len() == all[&key.parent()].len();
        key.types = if is_of_each {
            Vec::new()
        } else {
            types.clone()
        };
    }
}

/// The keys of a file. A mapping that exists in several places is looked into at the first of them only.
fn of_file(file: FileKind, known: &mut HashSet<String>) -> Vec<KeyDocs> {
    let whole = LazySchema::of(file);
    let mut found = Vec::new();
    let mut open = VecDeque::from([(String::new(), &whole.root)]);
    while let Some((path, schema)) = open.pop_front() {
        for form in forms(whole, schema, None) {
            let tag = form
                .schema
                .pointer("/properties/type/const")
                .and_then(Value::as_str);
            let is_known = form
                .name
                .is_some_and(|name| !known.insert(format!("{name} {}", tag.unwrap_or_default())));
            for (inner, mark) in [("items", "[]"), ("additionalProperties", ".NAME")] {
                if let Some(entry) = form.schema.get(inner).filter(|entry| entry.is_object()) {
                    open.push_back((format!("{path}{mark}"), entry));
                }
            }
            let properties = form
                .schema
                .get("properties")
                .and_then(Value::as_object)
                .filter(|_| !is_known);
            for (name, property) in properties.into_iter().flatten() {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                let key = KeyDocs::of(file, path.clone(), name, property);
                found.push(KeyDocs {
                    types: tag.into_iter().collect(),
                    ..key
                });
                open.push_back((path, property));
            }
        }
    }
    name_types(&mut found);
    found
}

impl KeyDocs {
    fn of(file: FileKind, path: String, name: &'static str, property: &'static Value) -> Self {
        let text = |key: &str| {
            property
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let value = if is_free(property) {
            "any value".to_owned()
        } else {
            expected(property)
        };
        let example = property
            .get("examples")
            .and_then(|examples| examples.get(0))
            .map(Value::to_string);
        Self {
            file,
            path,
            name,
            about: text("description"),
            value,
            since: text("x-since"),
            example,
            types: Vec::new(),
        }
    }

    /// The path of the mapping that has it.
    fn parent(&self) -> String {
        let end = self.path.len() - self.name.len();
        self.path[..end].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(name: &str) -> Vec<String> {
        KeyDocs::all()
            .into_iter()
            .filter(|key| key.is_called(name))
            .map(|key| key.path)
            .collect()
    }

    #[test]
    fn a_key_is_found_by_its_name_and_by_its_path() {
        assert_eq!(
            paths("must_match"),
            ["assert.text.must_match", "assert.model.prompt.must_match"]
        );
        assert_eq!(paths("text.must_match"), ["assert.text.must_match"]);
        assert_eq!(paths("match_must"), [""; 0]);
        assert_eq!(paths("xt.must_match"), [""; 0]);
        assert!(paths("name").len() > 1, "several mappings have it");
        assert!(
            paths("endpoint")
                .iter()
                .any(|path| path == "target.endpoint")
        );
    }

    #[test]
    fn a_key_of_one_type_names_it_and_one_of_all_types_names_none() {
        let types = |path: &str| -> Vec<Vec<&str>> {
            let keys = KeyDocs::all().into_iter();
            let found = keys.filter(|key| key.path == path);
            found.map(|key| key.types).collect()
        };
        assert_eq!(types("target.auth"), [["a2a"]]);
        assert_eq!(types("target.protocol"), [["mcp"]]);
        assert_eq!(types("assert.text.must_match"), [[""; 0]]);
        assert!(
            types("target.endpoint")
                .iter()
                .all(|types| !types.is_empty())
        );
        assert_eq!(types("target.assert"), [[""; 0]]);
    }

    #[test]
    fn a_rule_is_found_by_the_name_that_reports_have_for_it() {
        let within = |name: &str| -> Vec<String> {
            let keys = KeyDocs::all().into_iter();
            let found = keys.filter(|key| key.is_within(name));
            found.map(|key| key.path).collect()
        };
        assert_eq!(within("tools.every"), ["assert.tools.require.every"]);
        assert_eq!(within("every.tools"), [""; 0]);
        assert_eq!(within("tools.require.x"), [""; 0]);
    }

    #[test]
    fn every_key_has_a_description() {
        for key in KeyDocs::all() {
            assert!(
                !key.about.is_empty() && !key.since.is_empty(),
                "{}",
                key.path
            );
        }
    }
}

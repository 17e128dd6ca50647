//! The changes to a tree that does not fit its schema, so that the rest of it can be read.
//!
//! All changes are known after one walk and made in one more: the cost is linear in the tree, however many there are.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::demands::{is_demand, least_keys};
use super::lazy_schema::LazySchema;
use ananke_base::diagnostic::Span;
use ananke_base::source::{Entry, Node, NodeValue};

/// The changes to a tree, by the address of the node that each is about.
pub(super) struct Repairs {
    /// The schema of the file.
    schema: &'static LazySchema,
    changes: HashMap<*const Node, Repair>,
}

enum Repair {
    /// The entry whose value it is goes.
    Drop,
    /// The same, and nothing that is there was meant by it.
    Ignore,
    /// The entry whose value it is gets this key.
    Rename(&'static str),
    /// Something that fits comes in its place.
    Replace(Node),
    /// The mapping gets keys that it needs.
    Add(Vec<Entry>),
}

impl Repairs {
    pub(super) fn new(schema: &'static LazySchema) -> Self {
        Self {
            schema,
            changes: HashMap::new(),
        }
    }

    pub(super) fn drop(&mut self, node: &Node) {
        self.changes.insert(node, Repair::Drop);
    }

    pub(super) fn ignore(&mut self, node: &Node) {
        self.changes.insert(node, Repair::Ignore);
    }

    pub(super) fn rename(&mut self, node: &Node, key: &'static str) {
        self.changes.insert(node, Repair::Rename(key));
    }

    /// Whether a key is renamed, so that its value is to be looked at under its new name.
    pub(super) fn rename_keys(&self) -> bool {
        self.changes
            .values()
            .any(|change| matches!(change, Repair::Rename(_)))
    }

    pub(super) fn replace(&mut self, node: &Node, schema: &Value) {
        let placeholder = self.placeholder(schema, node.span);
        self.changes
            .entry(node)
            .or_insert(Repair::Replace(placeholder));
    }

    pub(super) fn add(&mut self, node: &Node, key: &str, schema: Option<&Value>) {
        let entry = self.required(key, schema.unwrap_or(&Value::Null), node.span);
        match self
            .changes
            .entry(node)
            .or_insert_with(|| Repair::Add(Vec::new()))
        {
            Repair::Add(entries) => entries.push(entry),
            Repair::Drop | Repair::Ignore | Repair::Rename(_) | Repair::Replace(_) => {}
        }
    }

    /// The places of everything under the keys that are renamed.
    pub(super) fn under_renamed(&self, root: &Node) -> HashSet<Span> {
        let mut places = HashSet::new();
        self.collect_renamed(root, &mut places);
        places
    }

    fn collect_renamed(&self, node: &Node, places: &mut HashSet<Span>) {
        if let Some(Repair::Rename(_)) = self.changes.get(&std::ptr::from_ref(node)) {
            collect_places(node, places);
            return;
        }
        match &node.value {
            NodeValue::Map(entries) => {
                for entry in entries {
                    self.collect_renamed(&entry.value, places);
                }
            }
            NodeValue::List(items) => {
                for item in items {
                    self.collect_renamed(item, places);
                }
            }
            _ => {}
        }
    }

    /// The tree with all changes made, and the places of the changes: of a key that is gone the key's.
    pub(super) fn apply(&self, root: &Node) -> (Node, HashSet<Span>) {
        let mut places = HashSet::new();
        (self.repaired(root, &mut places), places)
    }

    fn repaired(&self, node: &Node, places: &mut HashSet<Span>) -> Node {
        let change = self.changes.get(&std::ptr::from_ref(node));
        if let Some(Repair::Replace(_)) = change {
            places.insert(node.span);
        }
        let value = match (change, &node.value) {
            (Some(Repair::Replace(placeholder)), _) => return placeholder.clone(),
            (_, NodeValue::List(items)) => NodeValue::List(
                items
                    .iter()
                    .map(|item| self.repaired(item, places))
                    .collect(),
            ),
            (_, NodeValue::Map(entries)) => {
                let mut kept = Vec::with_capacity(entries.len());
                for Entry {
                    key,
                    key_span,
                    value,
                } in entries
                {
                    let key = match self.changes.get(&std::ptr::from_ref(value)) {
                        Some(Repair::Drop) => {
                            places.insert(*key_span);
                            continue;
                        }
                        Some(Repair::Ignore) => continue,
                        Some(Repair::Rename(key)) => (*key).to_owned(),
                        _ => key.clone(),
                    };
                    let value = self.repaired(value, places);
                    kept.push(Entry {
                        key,
                        key_span: *key_span,
                        value,
                    });
                }
                if let Some(Repair::Add(entries)) = change {
                    let is_there = |key: &str| kept.iter().any(|entry| entry.key == key);
                    let missing: Vec<Entry> = entries
                        .iter()
                        .filter(|entry| !is_there(&entry.key))
                        .cloned()
                        .collect();
                    if !missing.is_empty() {
                        places.insert(node.span);
                    }
                    kept.extend(missing);
                }
                NodeValue::Map(kept)
            }
            (_, value) => value.clone(),
        };
        Node {
            value,
            span: node.span,
        }
    }

    /// A value that fits `schema`, as empty as can be.
    fn placeholder(&self, schema: &Value, span: Span) -> Node {
        let target = schema.get("$ref").and_then(Value::as_str);
        if let Some(target) = target.and_then(|target| self.schema.definition(target)) {
            return self.placeholder(target, span);
        }
        let branches = ["oneOf", "anyOf"]
            .iter()
            .find_map(|union| schema.get(union)?.as_array());
        let branches = branches
            .into_iter()
            .flatten()
            .filter(|branch| !is_demand(branch));
        if let Some(simplest) = branches.min_by_key(|branch| complexity(branch)) {
            return self.placeholder(simplest, span);
        }
        let only = schema.get("const").or_else(|| schema.get("enum")?.get(0));
        let value = match (only, schema.get("type").and_then(Value::as_str)) {
            (Some(Value::String(text)), _) => NodeValue::String(text.clone()),
            (Some(Value::Bool(value)), _) => NodeValue::Bool(*value),
            (_, Some("array")) => NodeValue::List(Vec::new()),
            (_, Some("integer" | "number")) => NodeValue::Number(
                schema
                    .get("minimum")
                    .and_then(Value::as_u64)
                    .unwrap_or(0)
                    .into(),
            ),
            (_, Some("boolean")) => NodeValue::Bool(false),
            (_, Some("object")) => {
                let entry = |key| self.required(key, &schema["properties"][key], span);
                NodeValue::Map(least_keys(schema).map(entry).collect())
            }
            _ => NodeValue::String(String::new()),
        };
        Node { value, span }
    }

    fn required(&self, key: &str, schema: &Value, span: Span) -> Entry {
        Entry {
            key: key.to_owned(),
            key_span: span,
            value: self.placeholder(schema, span),
        }
    }
}

/// The complexity of a branch of a union: that of a text is least.
fn complexity(branch: &Value) -> u8 {
    match branch.get("type").and_then(Value::as_str) {
        _ if branch.get("const").is_some() => 4,
        Some("string") if branch.get("pattern").is_none() => 0,
        Some("array") => 1,
        Some("string") => 3,
        _ => 2,
    }
}

/// The places of a node and of everything in it.
fn collect_places(node: &Node, places: &mut HashSet<Span>) {
    places.insert(node.span);
    match &node.value {
        NodeValue::Map(entries) => {
            for entry in entries {
                places.insert(entry.key_span);
                collect_places(&entry.value, places);
            }
        }
        NodeValue::List(items) => items.iter().for_each(|item| collect_places(item, places)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::check;
    use super::super::embedded::{FileKind, embedded};
    use crate::model::{File, NEWEST_VERSION, TestFile};
    use ananke_base::diagnostic::SourceFile;
    use ananke_base::source::tree;

    /// Whatever replaces a value, the typed reader accepts the repaired tree.
    #[test]
    fn what_is_repaired_can_be_read() {
        let wrong = ["5", "[[]]", "{ a: { b: c } }", "~", "text"];
        let keys = embedded(FileKind::Test)["properties"]
            .as_object()
            .expect("properties");
        for (key, value) in keys.keys().flat_map(|key| wrong.map(|value| (key, value))) {
            let text = format!(
                "{key}: {value}\nturns: [{value}, {{ user: {value}, assert: {{ tools: {value} }} }}]\n"
            );
            let source = std::sync::Arc::new(SourceFile::new("a.yaml", "a.yaml", text));
            let written = tree(&source).0.expect("a tree");
            let (repaired, places) = check(FileKind::Test, &source, &written, None)
                .repairs
                .apply(&written);
            let read = TestFile::read(&repaired).map(|_| ());
            // A duplicate key stays.
            assert!(read.is_ok() || key == "turns", "{}: {read:?}", source.text);
            assert!(!places.is_empty());
        }
    }

    #[test]
    fn there_may_be_any_number_of_repairs() {
        let text = format!(
            "version: \"{NEWEST_VERSION}\"\nname: a\nturns:\n{}",
            "  - { usr: 5, user: [5] }\n".repeat(3000)
        );
        let source = std::sync::Arc::new(SourceFile::new("a.yaml", "a.yaml", text));
        let written = tree(&source).0.expect("a tree");
        let (repaired, _) = check(FileKind::Test, &source, &written, None)
            .repairs
            .apply(&written);
        let read = TestFile::read(&repaired).expect("all of it is repaired");
        assert_eq!(read.tests[0].turns.as_ref().map(Vec::len), Some(3000));
    }
}

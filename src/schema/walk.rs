//! One walk over a tree beside its schema: what is newer than the file says, and what types alone cannot tell.
//!
//! This is the price of the good path, so it looks things up and compiles nothing.

use std::sync::Arc;

use serde_json::Value;

use super::embedded::{FileKind, embedded};
use super::extension_keys::{EXTENSION_KEYS_SINCE, extension_keys};
use super::messages::{self, expected};
use super::prune::{demands, is_demand, since};
use super::union::{self, Branch};
use super::version::Version;
use crate::diagnostic::{Code, Diagnostic, Edit, SourceFile, Span};
use crate::source::{Node, NodeValue, printable};

/// What a walk found.
#[derive(Default)]
pub(super) struct Walked {
    /// Keys and union branches newer than the file's version; keys with nothing behind them.
    pub(super) problems: Vec<Diagnostic>,
    /// Something is too short or of the wrong type: the validator has to look.
    pub(super) doubt: bool,
}

/// Walks a file's tree. Without a version (it is broken) nothing counts as newer.
pub(super) fn walk(
    kind: FileKind,
    source: &Arc<SourceFile>,
    node: &Node,
    version: Option<Version>,
) -> Walked {
    let root = embedded(kind);
    let mut walk = Walk { source, root, version, needs: None, found: Walked::default() };
    walk.visit(root, node);
    for entry in extension_keys(node) {
        if walk.is_newer(EXTENSION_KEYS_SINCE) {
            walk.newer(&format!("`{}`", printable(&entry.key)), EXTENSION_KEYS_SINCE, entry.key_span);
        }
    }
    walk.offer_version(node);
    walk.found
}

struct Walk<'a> {
    source: &'a Arc<SourceFile>,
    root: &'a Value,
    version: Option<Version>,
    /// The newest version that something in the file needs, if that is newer than the file says.
    needs: Option<Version>,
    found: Walked,
}

impl<'a> Walk<'a> {
    fn visit(&mut self, schema: &'a Value, node: &Node) {
        let Some(schema) = schema.as_object() else { return };
        for (keyword, value) in schema {
            match (keyword.as_str(), value) {
                ("$ref", Value::String(target)) => {
                    let target = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
                    if let Some(target) = target {
                        self.visit(target, node);
                    }
                }
                ("allOf", Value::Array(all)) => {
                    for schema in all {
                        self.visit(schema, node);
                    }
                }
                ("oneOf", Value::Array(branches)) => {
                    if let Branch::At(index) = union::pick(branches, node) {
                        self.branch(&branches[index], node);
                    }
                }
                ("anyOf", Value::Array(branches)) if branches.iter().all(is_demand) => {
                    let is_met = |branch: &Value| demands(branch).all(|key| node.get(key).is_some());
                    let is_mapping = matches!(node.value, NodeValue::Map(_));
                    self.found.doubt |= is_mapping && !branches.iter().any(is_met);
                }
                ("anyOf", Value::Array(branches)) => {
                    if let Branch::At(index) = union::pick_by_type(branches, node) {
                        self.form(&branches[index], node);
                    }
                }
                ("if", condition) => {
                    let branch =
                        if demands(condition).all(|key| node.get(key).is_some()) { "then" } else { "else" };
                    if let Some(branch) = schema.get(branch) {
                        self.visit(branch, node);
                    }
                }
                ("properties", _) => self.entries(schema, node),
                ("additionalProperties", Value::Object(_)) if !schema.contains_key("properties") => {
                    for entry in node.entries() {
                        self.visit(value, &entry.value);
                    }
                }
                ("items", items) => {
                    if let NodeValue::List(list) = &node.value {
                        for item in list {
                            self.visit(items, item);
                        }
                    }
                }
                ("type", Value::String(name)) => {
                    self.found.doubt |= name == "object" && !matches!(node.value, NodeValue::Map(_));
                }
                ("minItems", least) => {
                    self.found.doubt |=
                        matches!(&node.value, NodeValue::List(list) if short(list.len(), least));
                }
                ("minLength", least) => {
                    self.found.doubt |= node.as_str().is_some_and(|text| short(text.chars().count(), least));
                }
                _ => {}
            }
        }
    }

    fn branch(&mut self, branch: &'a Value, node: &Node) {
        if let (Some(since), Some(tag), Some(written)) = (since(branch), union::tag(branch), node.get("type"))
            && self.is_newer(since)
        {
            self.newer(&format!("`type: {tag}`"), since, written.span);
        } else {
            self.visit(branch, node);
        }
    }

    /// One of the forms that a value may have.
    fn form(&mut self, form: &'a Value, node: &Node) {
        match since(form) {
            Some(since) if self.is_newer(since) => {
                self.newer(&format!("{} here", expected(form)), since, node.span);
            }
            _ => self.visit(form, node),
        }
    }

    fn entries(&mut self, schema: &'a serde_json::Map<String, Value>, node: &Node) {
        let properties = schema.get("properties");
        for entry in node.entries() {
            let Some(property) = properties.and_then(|properties| properties.get(&entry.key)) else {
                continue;
            };
            match since(property) {
                // `type` is judged with its branch.
                Some(since) if self.is_newer(since) && property.get("const").is_none() => {
                    self.newer(&format!("`{}`", entry.key), since, entry.key_span);
                }
                _ if is_free(property) => {
                    // Where any value may stand, `null` is one, but nothing at all is a slip.
                    if entry.value.value == NodeValue::Null && entry.value.span.start == entry.value.span.end
                    {
                        self.found.problems.push(messages::empty_value(
                            self.source,
                            &entry.key,
                            entry.key_span,
                        ));
                    }
                }
                _ => self.visit(property, &entry.value),
            }
        }
    }

    fn is_newer(&self, since: Version) -> bool {
        self.version.is_some_and(|version| since > version)
    }

    fn newer(&mut self, what: &str, since: Version, span: Span) {
        let Some(version) = self.version else { return };
        let message = format!("{what} needs version {since}; this file says {version}");
        let problem = Diagnostic::error(Code::NewerKey, message)
            .at(self.source, span, "")
            .help(format!("write `version: \"{since}\"`, which `ananke check --fix` does"));
        self.found.problems.push(problem);
        self.needs = self.needs.max(Some(since));
    }

    /// Lets every problem of a newer key offer the version that all of them need.
    fn offer_version(&mut self, root: &Node) {
        let (Some(version), Some(needed), Some(node)) = (self.version, self.needs, root.get("version"))
        else {
            return;
        };
        let span = node.span;
        let Some(written) = self.source.text.get(span.start as usize..span.end as usize) else { return };
        let raised = written.replacen(&version.to_string(), &needed.to_string(), 1);
        // What is written in an unusual way (an alias, escapes) is left alone.
        if raised != written {
            for problem in self.found.problems.iter_mut().filter(|problem| problem.code == Code::NewerKey) {
                problem.fixes.push(Edit { source: Arc::clone(self.source), span, text: raised.clone() });
            }
        }
    }
}

fn short(length: usize, least: &Value) -> bool {
    least.as_u64().is_some_and(|least| u64::try_from(length).is_ok_and(|length| length < least))
}

/// Whether a schema takes every value.
fn is_free(schema: &Value) -> bool {
    !["type", "$ref", "allOf", "anyOf", "oneOf", "const", "enum"].iter().any(|key| schema.get(key).is_some())
}

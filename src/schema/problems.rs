//! What is said about a tree that does not fit its schema: one exact problem a mistake.

use std::sync::Arc;

use serde_json::Value;

use super::here::Here;
use super::messages::{all_of, expected};
use super::shape_hint;
use super::union;
use super::version::Version;
use crate::diagnostic::{Code, Diagnostic, SourceFile, Span};
use crate::model::NOT_YET;
use crate::source::{Entry, Node, NodeValue, printable};
use crate::text::{nearest, nearest_certain, suggest};

/// The key by which one thing takes over what another says.
const EXTENDS: &str = "extends";

/// The problems of one file.
pub(super) struct Problems<'a> {
    source: &'a Arc<SourceFile>,
    pub(super) list: Vec<Diagnostic>,
}

impl<'a> Problems<'a> {
    pub(super) fn new(source: &'a Arc<SourceFile>) -> Self {
        Self { source, list: Vec::new() }
    }

    pub(super) fn missing_key(&mut self, here: &Here<'_>, key: &str) {
        let problem = Diagnostic::error(Code::MissingKey, format!("the key `{key}` is missing"));
        self.list.push(problem.at(self.source, here.head(), "in this mapping"));
    }

    /// A key with nothing behind it.
    pub(super) fn empty_value(&mut self, entry: &Entry) {
        let message = format!("`{}` has no value", entry.key);
        self.push(Code::EmptyValue, message, entry.key_span, "write a value, or leave the key out");
    }

    /// Something that the version of the file does not have yet.
    pub(super) fn newer(&mut self, what: &str, since: Version, version: Version, span: Span) {
        let message = format!("{what} needs version {since}; this file says {version}");
        let help = format!("write `version: \"{since}\"`, which `ananke check --fix` does");
        self.push(Code::NewerKey, message, span, help);
    }

    /// Lets every problem of a newer key offer the version that all of them need.
    pub(super) fn offer_version(&mut self, root: &Node, version: Version, needed: Version) {
        let Some(span) = root.get("version").map(|node| node.span) else { return };
        let Some(written) = self.source.text.get(span.start as usize..span.end as usize) else { return };
        let raised = written.replacen(&version.to_string(), &needed.to_string(), 1);
        // What is written in an unusual way (an alias, escapes) is left alone.
        if raised != written {
            for problem in self.list.iter_mut().filter(|problem| problem.code == Code::NewerKey) {
                *problem = problem.clone().fix(self.source, span, raised.clone());
            }
        }
    }

    /// Keys beside one that stands alone.
    pub(super) fn beside(&mut self, alone: &str, entries: &[&Entry]) {
        let Some((first, rest)) = entries.split_first() else { return };
        let names: Vec<String> = entries.iter().map(|entry| format!("`{}`", entry.key)).collect();
        let (verb, them) = if rest.is_empty() { ("stands", "it") } else { ("stand", "them") };
        let message = format!("{} {verb} beside `{alone}`", all_of(&names));
        let problem = Diagnostic::error(Code::Contradiction, message).at(self.source, first.key_span, "");
        let problem = rest.iter().fold(problem, |problem, entry| problem.at(self.source, entry.key_span, ""));
        self.list
            .push(problem.help(format!("put {them} into an entry of `{alone}`, or leave `{alone}` out")));
    }

    /// Something else than the mapping that a union expects.
    pub(super) fn no_mapping(&mut self, here: &Here<'_>, branches: &[Value], tags: &[&str]) {
        self.wrong_type(here, "a mapping", None);
        if let (Some(text), Some(problem)) = (here.node.as_str(), self.list.last_mut())
            && branches.iter().all(union::needs_tag)
            && !text.is_empty()
        {
            problem.help.push(format!("begin it with `type:`, one of `{}`", tags.join("`, `")));
        }
    }

    /// A mapping whose `type` is missing.
    pub(super) fn no_tag(&mut self, here: &Here<'_>, branches: &[Value], tags: &[&str]) {
        let other = branches.iter().find_map(union::choosing_key);
        let other = other.map(|key| format!(", or `{key}:`")).unwrap_or_default();
        let help = format!("add `type:`, one of `{}`{other}", tags.join("`, `"));
        self.push(Code::MissingKey, "the key `type` is missing".to_owned(), here.head(), help);
    }

    pub(super) fn unknown_tag(&mut self, written: &Node, tags: &[&str]) {
        let help = format!("the types are: `{}`", tags.join("`, `"));
        let Some(text) = written.as_str() else {
            let message = format!("expected a text as `type`, found {}", written.describe());
            return self.push(Code::WrongType, message, written.span, help);
        };
        if let Some((tag, what)) = NOT_YET.iter().find(|(tag, _)| *tag == text) {
            let message = format!("`{tag}` is {what}, which this version does not have");
            return self.push(Code::UnknownValue, message, written.span, help);
        }
        let message = format!("unknown type `{}`", printable(text));
        self.push(Code::UnknownValue, message, written.span, suggest(text, tags, "the types are"));
        self.offer(written.span, text, tags);
    }

    /// A mapping of which exactly one key of a set is expected.
    pub(super) fn wrong_keys(&mut self, here: &mut Here<'_>, keys: &[&str]) {
        let entries = here.node.entries();
        let is_known = |entry: &&Entry| keys.contains(&entry.key.as_str());
        if let [first, second, ..] = entries
            && entries.iter().all(|entry| is_known(&entry))
        {
            let (message, help) = match here.entry {
                Some(entry) => (
                    format!("`{}` and `{}` exclude each other", first.key, second.key),
                    format!("`{}` takes one key: keep one of them", entry.key),
                ),
                None => (
                    format!("`{}` must stand in an entry of its own", second.key),
                    "this mapping takes one key: begin a new entry with `- `".to_owned(),
                ),
            };
            self.push(Code::Contradiction, message, second.key_span, help);
        } else if entries.is_empty() {
            let help = format!("add one of `{}`", keys.join("`, `"));
            self.push(Code::MissingKey, "this mapping is empty".to_owned(), here.node.span, help);
        }
        for entry in entries.iter().filter(|entry| !is_known(entry)) {
            self.unknown_key(here, entry, keys);
        }
    }

    pub(super) fn unknown_key(&mut self, here: &mut Here<'_>, entry: &Entry, known: &[&str]) {
        let key = entry.key.as_str();
        let elsewhere = here.elsewhere.iter().find(|(other, _)| *other == key).map(|(_, tag)| *tag);
        let meant = nearest(key, known.iter().copied()).filter(|_| elsewhere.is_none());
        // A fix must not make a key that is there already, or that another fix makes.
        let can_be_fixed = meant.is_some_and(|meant| !here.is_meant(meant) && here.node.get(meant).is_none());
        here.meant.extend(meant.map(str::to_owned));
        let shown = printable(key);
        let is_type_of_heir = key == "type" && known.contains(&EXTENDS) && here.node.get(EXTENDS).is_some();
        let help = match elsewhere {
            _ if is_type_of_heir => "a target that extends another has its type".to_owned(),
            Some(tag) => format!("`{shown}` goes with `type: {tag}`"),
            None => suggest(key, known, "the keys here are"),
        };
        self.push(Code::UnknownKey, format!("unknown key `{shown}`"), entry.key_span, help);
        if can_be_fixed && !is_type_of_heir {
            self.offer(entry.key_span, key, known);
        }
    }

    pub(super) fn unknown_value(&mut self, here: &Here<'_>, schema: &Value) {
        let options: Vec<&str> =
            match schema.get("oneOf").or_else(|| schema.get("enum")).and_then(Value::as_array) {
                Some(options) => options
                    .iter()
                    .filter_map(|option| option.get("const").unwrap_or(option).as_str())
                    .collect(),
                None => schema.get("const").and_then(Value::as_str).into_iter().collect(),
            };
        match here.node.as_str() {
            Some(text) if !options.is_empty() => {
                let message = format!("unknown value `{}`", printable(text));
                let help = suggest(text, &options, "the values are");
                self.push(Code::UnknownValue, message, here.node.span, help);
                self.offer(here.node.span, text, &options);
            }
            _ => self.wrong_type(here, &expected(schema), None),
        }
    }

    /// A value of another type than is `expected`. Where it may only be written in the wrong shape for a `schema`, the help
    /// says so.
    pub(super) fn wrong_type(&mut self, here: &Here<'_>, expected: &str, schema: Option<&Value>) {
        let node = here.node;
        let hint = schema.and_then(|schema| shape_hint::help(self.source, schema, node));
        match (&node.value, here.entry) {
            (NodeValue::Null, Some(entry)) => self.empty_value(entry),
            (NodeValue::Null, None) => {
                let help = format!("write {expected}, or delete the entry");
                self.push(Code::EmptyValue, "this list entry has no value".to_owned(), node.span, help);
            }
            _ => {
                let message = format!("expected {expected}, found {}", node.describe());
                let problem = Diagnostic::error(Code::WrongType, message).at(self.source, node.span, "");
                let range = node.span.start as usize..node.span.end as usize;
                let written = self.source.text.get(range).map(|written| format!("`{written}`"));
                let quote = matches!(node.value, NodeValue::Bool(_) | NodeValue::Number(_))
                    && (expected.starts_with("a text")
                        || written.is_some_and(|written| expected.contains(&written)));
                self.list.push(if quote { problem.help("put quotes round it") } else { problem });
            }
        }
        if let Some(problem) = self.list.last_mut() {
            problem.help.extend(hint);
        }
    }

    /// A value of the right type that is not allowed: `what` says what holds of it.
    pub(super) fn bad_value(&mut self, here: &Here<'_>, what: &str) {
        let subject = here.entry.map_or_else(|| "this".to_owned(), |entry| format!("`{}`", entry.key));
        let problem = Diagnostic::error(Code::BadValue, format!("{subject} {what}"));
        self.list.push(problem.at(self.source, here.node.span, ""));
    }

    /// Lets the last problem offer the name that is certainly meant by `written` at `span`, if there is one.
    fn offer(&mut self, span: Span, written: &str, known: &[&str]) {
        let Some(meant) = nearest_certain(written, known) else { return };
        let Some(source) = self.source.text.get(span.start as usize..span.end as usize) else { return };
        // What is written in an unusual way (an alias, escapes) is left alone.
        let is_as_written = ["", "'", "\""].iter().any(|quote| source == format!("{quote}{written}{quote}"));
        if is_as_written && let Some(problem) = self.list.pop() {
            self.list.push(problem.fix(self.source, span, source.replacen(written, meant, 1)));
        }
    }

    fn push(&mut self, code: Code, message: String, span: Span, help: impl Into<String>) {
        self.list.push(Diagnostic::error(code, message).at(self.source, span, "").help(help));
    }
}

//! From the validator's errors to one exact problem a mistake.
//!
//! A union's error only says that no branch fits. Its kind carries the errors of every branch, so the branch that is
//! meant is picked (by `type`, by the only key, by the value's type) and its errors taken instead.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::paths::{Location, LocationSegment};
use serde_json::{Map, Value};

use super::messages::{all_of, empty_value, expected, one_of};
use super::prune::demands;
use super::shape_hint;
use super::union::{self, Branch};
use crate::diagnostic::{Code, Diagnostic, Edit, SourceFile, Span};
use crate::model::NOT_YET;
use crate::source::{Entry, Node, NodeValue, printable};
use crate::text::{nearest, nearest_certain, suggest};

/// The key by which one thing takes over what another says.
const EXTENDS: &str = "extends";

/// Collects the problems of one file.
pub(super) struct Errors<'a> {
    source: &'a Arc<SourceFile>,
    schema: &'a Value,
    root: &'a Node,
    problems: Vec<Diagnostic>,
    missing: Vec<Missing<'a>>,
    /// Keys that are not missing, by the mapping's path: an unknown key beside them is probably meant to be one of them, or
    /// says that another `type` is meant.
    mistyped: HashSet<(String, String)>,
    /// Keys that are unknown where they stand and known with another `type`, by the mapping's path.
    elsewhere: HashMap<(String, String), &'a str>,
}

/// A required key that is not there.
struct Missing<'a> {
    path: String,
    key: String,
    span: Span,
    /// The key with which it would not be required.
    unless: Option<&'a str>,
}

/// A value an error speaks of.
struct Found<'a> {
    node: &'a Node,
    /// Its entry, where it is the value of a key.
    entry: Option<&'a Entry>,
}

impl<'a> Errors<'a> {
    pub(super) fn new(source: &'a Arc<SourceFile>, schema: &'a Value, root: &'a Node) -> Self {
        Self {
            source,
            schema,
            root,
            problems: Vec::new(),
            missing: Vec::new(),
            mistyped: HashSet::new(),
            elsewhere: HashMap::new(),
        }
    }

    /// All problems; a missing key that was only mistyped is no problem of its own.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        for Missing { path, key, span, unless } in std::mem::take(&mut self.missing) {
            let meant = |key: &str| self.mistyped.contains(&(path.clone(), key.to_owned()));
            if !meant(&key) && !unless.is_some_and(meant) {
                let problem = Diagnostic::error(Code::MissingKey, format!("the key `{key}` is missing"));
                self.problems.push(problem.at(self.source, span, "in this mapping"));
            }
        }
        self.problems
    }

    /// Takes one of the validator's errors.
    pub(super) fn add(&mut self, error: &ValidationError<'_>) {
        let Some(found) = find(self.root, error.instance_path()) else { return };
        // `version` has rules and words of its own.
        if error.instance_path().as_str() == "/version" {
            return;
        }
        match error.kind() {
            Kind::AnyOf { context } => self.any_of(error, &found, context),
            Kind::OneOfNotValid { context } => self.one_of(error, &found, context),
            Kind::AdditionalProperties { unexpected } if let Some((alone, known)) = self.alone(error) => {
                self.beside(alone, &found, unexpected, known);
            }
            Kind::AdditionalProperties { unexpected } => {
                let known =
                    self.parent_schema(error).and_then(|schema| schema.get("properties")?.as_object());
                let known: Vec<&str> =
                    known.into_iter().flat_map(|known| known.keys()).map(String::as_str).collect();
                for key in unexpected {
                    self.unknown_key(error.instance_path(), &found, key, &known);
                }
            }
            Kind::Required { property } => {
                let key = property.as_str().unwrap_or_default().to_owned();
                let path = error.instance_path().as_str().to_owned();
                if !(path.is_empty() && key == "version") {
                    let (span, unless) = (head(found.node), self.otherwise(error));
                    self.missing.push(Missing { path, key, span, unless });
                }
            }
            Kind::Type { .. } => {
                let schema = self.parent_schema(error);
                let expected = schema.map_or_else(|| "something else".to_owned(), expected);
                self.wrong_type(&found, &expected);
                let help = schema.and_then(|schema| shape_hint::help(self.source, schema, found.node));
                if let (Some(help), Some(problem)) = (help, self.problems.last_mut()) {
                    problem.help.push(help);
                }
            }
            Kind::Constant { .. } | Kind::Enum { .. } => {
                self.unknown_value(self.parent_schema(error), &found);
            }
            _ => self.bad_value(error, &found),
        }
    }

    /// The schema a keyword's error stands in.
    fn parent_schema(&self, error: &ValidationError<'_>) -> Option<&'a Value> {
        let path = error.schema_path().as_str();
        self.schema.pointer(path.rsplit_once('/')?.0)
    }

    /// The key that suffers no other beside it, where the error is about those, and the keys that are known there.
    fn alone(&self, error: &ValidationError<'_>) -> Option<(&'a str, &'a Map<String, Value>)> {
        let outer = error.schema_path().as_str().strip_suffix("/then/additionalProperties")?;
        let outer = self.schema.pointer(outer)?;
        Some((demands(outer.get("if")?).next()?, outer.get("properties")?.as_object()?))
    }

    /// The key without which the error would be none.
    fn otherwise(&self, error: &ValidationError<'_>) -> Option<&'a str> {
        let (outer, _) = error.schema_path().as_str().split_once("/else/")?;
        demands(self.schema.pointer(outer)?.get("if")?).next()
    }

    /// Keys beside one that stands alone. Those that are not known anywhere are told as such.
    fn beside(&mut self, alone: &str, found: &Found<'_>, keys: &[String], known: &Map<String, Value>) {
        let is_told = |entry: &&Entry| keys.contains(&entry.key) && known.contains_key(&entry.key);
        let entries: Vec<&Entry> = found.node.entries().iter().filter(is_told).collect();
        let Some((first, rest)) = entries.split_first() else { return };
        let names: Vec<String> = entries.iter().map(|entry| format!("`{}`", entry.key)).collect();
        let (verb, them) = if rest.is_empty() { ("stands", "it") } else { ("stand", "them") };
        let message = format!("{} {verb} beside `{alone}`", all_of(&names));
        let problem = Diagnostic::error(Code::Contradiction, message).at(self.source, first.key_span, "");
        let problem = rest.iter().fold(problem, |problem, entry| problem.at(self.source, entry.key_span, ""));
        self.problems
            .push(problem.help(format!("put {them} into an entry of `{alone}`, or leave `{alone}` out")));
    }

    fn union(&self, error: &ValidationError<'_>) -> &'a [Value] {
        let union = self.schema.pointer(error.schema_path().as_str());
        union.and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn any_of(
        &mut self,
        error: &ValidationError<'_>,
        found: &Found<'_>,
        context: &[Vec<ValidationError<'static>>],
    ) {
        let branches = self.union(error);
        let words = || one_of(branches);
        let Branch::At(index) = union::pick_by_type(branches, found.node) else {
            self.wrong_type(found, &words());
            // A list that `false` may stand for.
            let mut rules = branches.iter().filter(|branch| branch.get("const").is_none());
            let only = rules.next().filter(|_| rules.next().is_none());
            let help = only.and_then(|rules| shape_hint::help(self.source, rules, found.node));
            if let (Some(help), Some(problem)) = (help, self.problems.last_mut()) {
                problem.help.push(help);
            }
            return;
        };
        let errors = context.get(index).map_or(&[][..], Vec::as_slice);
        for inner in errors {
            // A text of the wrong form is told what else could stand here.
            if matches!(inner.kind(), Kind::Pattern { .. }) && inner.instance_path() == error.instance_path()
            {
                self.wrong_type(found, &words());
            } else {
                self.add(inner);
            }
        }
    }

    fn one_of(
        &mut self,
        error: &ValidationError<'_>,
        found: &Found<'_>,
        context: &[Vec<ValidationError<'static>>],
    ) {
        let branches = self.union(error);
        let tags: Vec<&str> = branches.iter().filter_map(union::tag).collect();
        let keys: Vec<&str> = branches.iter().filter_map(union::only_key).collect();
        let words = || one_of(branches);
        match union::pick(branches, found.node) {
            Branch::At(index) => {
                let path = error.instance_path().as_str();
                for (key, tag) in union::of_others(branches, index, found.node) {
                    self.elsewhere.insert((path.to_owned(), key.to_owned()), tag);
                    // Where another type is meant, nothing of this one is missing.
                    if found.node.get("type").is_none() {
                        let missing = branches.get(index).into_iter().flat_map(demands);
                        self.mistyped.extend(missing.map(|key| (path.to_owned(), key.to_owned())));
                    }
                }
                for inner in context.get(index).into_iter().flatten() {
                    self.add(inner);
                }
            }
            Branch::NoMapping => {
                self.wrong_type(found, "a mapping");
                if let (Some(text), Some(problem)) = (found.node.as_str(), self.problems.last_mut())
                    && branches.iter().all(union::needs_tag)
                    && !text.is_empty()
                {
                    problem.help.push(format!("begin it with `type:`, one of `{}`", tags.join("`, `")));
                }
            }
            Branch::WrongType => self.wrong_type(found, &words()),
            Branch::UnknownValue => self.unknown_value(self.parent_schema(error), found),
            Branch::UnknownTag(written) => self.unknown_tag(written, &tags),
            Branch::NoTag => {
                let mut help = format!("add `type:`, one of `{}`", tags.join("`, `"));
                if let Some(key) = branches.iter().find_map(union::choosing_key) {
                    let _ = write!(help, ", or `{key}:`");
                }
                let message = "the key `type` is missing".to_owned();
                self.push(Code::MissingKey, message, head(found.node), help);
            }
            Branch::WrongKeys => self.wrong_keys(error.instance_path(), found, &keys),
        }
    }

    fn unknown_tag(&mut self, written: &Node, tags: &[&str]) {
        let not_yet = NOT_YET.iter().find(|(tag, _)| written.as_str() == Some(tag));
        if let Some((tag, what)) = not_yet {
            let message = format!("`{tag}` is {what}, which this version does not have");
            let help = format!("the types are: `{}`", tags.join("`, `"));
            self.push(Code::UnknownValue, message, written.span, help);
        } else if let Some(text) = written.as_str() {
            let message = format!("unknown type `{}`", printable(text));
            self.push(Code::UnknownValue, message, written.span, suggest(text, tags, "the types are"));
            self.offer(written.span, text, tags);
        } else {
            let message = format!("expected a text as `type`, found {}", written.describe());
            let help = format!("the types are: `{}`", tags.join("`, `"));
            self.push(Code::WrongType, message, written.span, help);
        }
    }

    /// A mapping of which exactly one key of a set is expected.
    fn wrong_keys(&mut self, path: &Location, found: &Found<'_>, keys: &[&str]) {
        let entries = found.node.entries();
        let unknown: Vec<&Entry> =
            entries.iter().filter(|entry| !keys.contains(&entry.key.as_str())).collect();
        for entry in &unknown {
            self.unknown_key(path, found, &entry.key, keys);
        }
        if let ([first, second, ..], true) = (entries, unknown.is_empty()) {
            let (message, help) = match found.entry {
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
            self.push(Code::MissingKey, "this mapping is empty".to_owned(), found.node.span, help);
        }
    }

    fn unknown_key(&mut self, path: &Location, found: &Found<'_>, key: &str, known: &[&str]) {
        let elsewhere = self.elsewhere.get(&(path.as_str().to_owned(), key.to_owned())).copied();
        let meant = nearest(key, known.iter().copied()).filter(|_| elsewhere.is_none());
        // A fix must not make a key that is there already, or that another fix makes.
        let can_be_fixed = meant.is_some_and(|meant| {
            let is_first = self.mistyped.insert((path.as_str().to_owned(), meant.to_owned()));
            is_first && found.node.get(meant).is_none()
        });
        let entry = found.node.entries().iter().find(|entry| entry.key == key);
        let span = entry.map_or(found.node.span, |entry| entry.key_span);
        let shown = printable(key);
        let is_heir = known.contains(&EXTENDS) && found.node.get(EXTENDS).is_some();
        let help = match (key, elsewhere) {
            ("type", _) if is_heir => "a target that extends another has its type".to_owned(),
            (_, Some(tag)) => format!("`{shown}` goes with `type: {tag}`"),
            _ => suggest(key, known, "the keys here are"),
        };
        self.push(Code::UnknownKey, format!("unknown key `{shown}`"), span, help);
        if can_be_fixed && !(key == "type" && is_heir) {
            self.offer(span, key, known);
        }
    }

    fn unknown_value(&mut self, schema: Option<&Value>, found: &Found<'_>) {
        let Some(schema) = schema else { return };
        let options: Vec<&str> =
            match schema.get("oneOf").or_else(|| schema.get("enum")).and_then(Value::as_array) {
                Some(options) => options
                    .iter()
                    .filter_map(|option| option.get("const").unwrap_or(option).as_str())
                    .collect(),
                None => schema.get("const").and_then(Value::as_str).into_iter().collect(),
            };
        match found.node.as_str() {
            Some(text) if !options.is_empty() => {
                let message = format!("unknown value `{}`", printable(text));
                self.push(
                    Code::UnknownValue,
                    message,
                    found.node.span,
                    suggest(text, &options, "the values are"),
                );
                self.offer(found.node.span, text, &options);
            }
            _ => self.wrong_type(found, &expected(schema)),
        }
    }

    fn wrong_type(&mut self, found: &Found<'_>, expected: &str) {
        match (&found.node.value, found.entry) {
            (NodeValue::Null, Some(entry)) => {
                self.problems.push(empty_value(self.source, &entry.key, entry.key_span));
            }
            (NodeValue::Null, None) => {
                let problem = Diagnostic::error(Code::EmptyValue, "this list entry has no value");
                let problem = problem.at(self.source, found.node.span, "");
                self.problems.push(problem.help(format!("write {expected}, or delete the entry")));
            }
            _ => {
                let message = format!("expected {expected}, found {}", found.node.describe());
                let problem =
                    Diagnostic::error(Code::WrongType, message).at(self.source, found.node.span, "");
                let range = found.node.span.start as usize..found.node.span.end as usize;
                let written = self.source.text.get(range).map(|written| format!("`{written}`"));
                let quote = matches!(found.node.value, NodeValue::Bool(_) | NodeValue::Number(_))
                    && (expected.starts_with("a text")
                        || written.is_some_and(|written| expected.contains(&written)));
                self.problems.push(if quote { problem.help("put quotes round it") } else { problem });
            }
        }
    }

    fn bad_value(&mut self, error: &ValidationError<'_>, found: &Found<'_>) {
        let what = found.entry.map_or_else(|| "this".to_owned(), |entry| format!("`{}`", entry.key));
        let message = match error.kind() {
            Kind::MinItems { limit: 1 } | Kind::MinProperties { limit: 1 } => {
                format!("{what} needs at least one entry")
            }
            Kind::MinItems { limit } | Kind::MinProperties { limit } => {
                format!("{what} needs at least {limit} entries")
            }
            Kind::MaxItems { limit } | Kind::MaxProperties { limit } => {
                format!("{what} takes at most {limit} entries")
            }
            Kind::MinLength { limit: 1 } => format!("{what} must not be an empty text"),
            Kind::MinLength { limit } => format!("{what} needs at least {limit} characters"),
            Kind::MaxLength { limit } => format!("{what} takes at most {limit} characters"),
            Kind::Minimum { limit } => {
                format!("{what} must be at least {limit}, found {}", found.node.describe())
            }
            Kind::Maximum { limit } => {
                format!("{what} must be at most {limit}, found {}", found.node.describe())
            }
            Kind::Pattern { .. } => format!("{what} has not the form that is expected here"),
            Kind::UniqueItems => format!("{what} holds an entry twice"),
            _ => format!("{what} cannot hold {}", found.node.describe()),
        };
        self.problems.push(Diagnostic::error(Code::BadValue, message).at(self.source, found.node.span, ""));
    }

    /// Lets the last problem offer the name that is certainly meant by `written` at `span`, if there is one.
    fn offer(&mut self, span: Span, written: &str, known: &[&str]) {
        let Some(meant) = nearest_certain(written, known) else { return };
        let Some(source) = self.source.text.get(span.start as usize..span.end as usize) else { return };
        // What is written in an unusual way (an alias, escapes) is left alone.
        let is_as_written = ["", "'", "\""].iter().any(|quote| source == format!("{quote}{written}{quote}"));
        if let Some(problem) = self.problems.last_mut().filter(|_| is_as_written) {
            let text = source.replacen(written, meant, 1);
            problem.fixes.push(Edit { source: Arc::clone(self.source), span, text });
        }
    }

    fn push(&mut self, code: Code, message: String, span: Span, help: String) {
        self.problems.push(Diagnostic::error(code, message).at(self.source, span, "").help(help));
    }
}

/// What stands for a mapping as a whole: its first key.
fn head(node: &Node) -> Span {
    node.entries().first().map_or(node.span, |entry| entry.key_span)
}

/// The value at a path; of a key that stands twice the last, as the validator sees it.
fn find<'a>(root: &'a Node, path: &Location) -> Option<Found<'a>> {
    let mut found = Found { node: root, entry: None };
    for segment in path {
        found = match (&found.node.value, segment) {
            (NodeValue::Map(entries), segment) => {
                let key = match segment {
                    LocationSegment::Property(key) => key.into_owned(),
                    LocationSegment::Index(index) => index.to_string(),
                };
                let entry = entries.iter().rev().find(|entry| entry.key == key)?;
                Found { node: &entry.value, entry: Some(entry) }
            }
            (NodeValue::List(items), LocationSegment::Index(index)) => {
                Found { node: items.get(index)?, entry: None }
            }
            _ => return None,
        };
    }
    Some(found)
}

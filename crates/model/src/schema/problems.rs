//! The problems of a tree that does not fit its schema: exactly one for each mistake.

mod key_place;

use std::sync::Arc;

use serde_json::Value;

use super::foreign_words::{collection_sentence, meanings, sentence, value_sentence};
use super::remedy::{Remedy, remedy};
use super::schema_level::SchemaLevel;
use super::{FileKind, Version, here::Here, lazy_schema::LazySchema, messages::expected, union};
use crate::model::NOT_YET;
use ananke_base::diagnostic::{Code, Diagnostic, Severity, SourceFile, Span};
use ananke_base::source::{Entry, Node, NodeValue, printable, same_key};
use ananke_base::text::{all_of, any_of, nearest, nearest_certain, nearest_first, suggest};

/// The key by which one thing takes over what another says.
const EXTENDS: &str = "extends";

/// The longest example that is shown of a missing key, in bytes.
const LONGEST_EXAMPLE: usize = 60;

/// The number of values that are read at a glance; a longer list begins with the nearest.
const SHORT_LIST: usize = 8;

/// The values of a closed set, in backticks.
fn closed_values(property: &Value) -> Vec<String> {
    let constants = |branches: &[Value]| -> Option<Vec<String>> {
        let constant = |branch: &Value| Some(format!("`{}`", branch.get("const")?.as_str()?));
        branches.iter().map(constant).collect()
    };
    let listed = property.get("enum").and_then(Value::as_array);
    let values = listed.map(|values| {
        let texts = values.iter().filter_map(Value::as_str);
        texts.map(|text| format!("`{text}`")).collect()
    });
    let branches = property.get("oneOf").and_then(Value::as_array);
    values
        .or_else(|| branches.and_then(|branches| constants(branches)))
        .unwrap_or_default()
}

/// The name that `key` has in other branches of the union, and the types that these are of.
fn in_other_branches<'n>(here: &Here<'n>, key: &str) -> Option<(&'n str, String)> {
    let elsewhere = here.elsewhere.iter().find(|(other, ..)| *other == key);
    elsewhere.map(|(_, name, tags)| {
        let types: Vec<String> = tags.iter().map(|tag| format!("`type: {tag}`")).collect();
        (*name, any_of(&types))
    })
}

/// The problems of one file.
pub(super) struct Problems<'a> {
    pub(super) kind: FileKind,
    /// The schema of the file.
    schema: &'static LazySchema,
    source: &'a Arc<SourceFile>,
    pub(super) list: Vec<Diagnostic>,
}

/// The key that was probably meant by an unknown one.
pub(super) enum KeyMeaning {
    /// This key.
    Certain(&'static str),
    /// A key, here or elsewhere.
    Possible,
    /// Nothing that is known.
    Unknown,
}

impl<'a> Problems<'a> {
    pub(super) fn new(
        kind: FileKind,
        schema: &'static LazySchema,
        source: &'a Arc<SourceFile>,
    ) -> Self {
        Self {
            kind,
            schema,
            source,
            list: Vec::new(),
        }
    }

    pub(super) fn missing_key(&mut self, here: &Here<'_>, key: &str) {
        let problem = Diagnostic::error(Code::MissingKey, format!("the key `{key}` is missing"));
        let problem = problem.at(self.source, here.head(), "in this mapping");
        let property = here.properties.and_then(|properties| properties.get(key));
        let example = property.and_then(|property| property.get("examples")?.get(0));
        let values = property.map(closed_values).unwrap_or_default();
        if values.len() > 1 {
            let help = format!("add it: `{key}` is {}", any_of(&values));
            self.list.push(problem.help(help));
            return;
        }
        let example = example.map(ToString::to_string);
        let example = example.filter(|example| example.len() <= LONGEST_EXAMPLE);
        let example = example.unwrap_or_else(|| "…".to_owned());
        let quote = if self.kind == FileKind::Case {
            "\""
        } else {
            ""
        };
        self.list
            .push(problem.help(format!("add it: `{quote}{key}{quote}: {example}`")));
    }

    /// A key that is known in another case.
    pub(super) fn other_case(&mut self, entry: &Entry, known: &str) {
        let message = format!("`{}` is read as `{known}`", printable(&entry.key));
        self.push(
            Code::UnknownKey,
            message,
            entry.key_span,
            format!("write `{known}`"),
        );
        self.warn_of_last();
    }

    /// A key that is there in another case as well.
    pub(super) fn both_cases(&mut self, entry: &Entry, known: &str) {
        self.list.push(same_key(self.source, entry, known));
    }

    /// Reports a text where a Boolean or a reason is expected that looks like this Boolean.
    pub(super) fn text_for_boolean(&mut self, here: &Here<'_>, meant: &str) {
        let text = here.node.as_str().unwrap_or_default();
        let what = format!("is the text `{}`, which is no reason", printable(text));
        let key = here.entry.map(|entry| entry.key.as_str());
        let quote = if self.kind == FileKind::Case {
            "\""
        } else {
            ""
        };
        let key = key.map_or_else(String::new, |key| format!("{quote}{key}{quote}: "));
        let help = format!("write `{key}{meant}`, or a reason in words");
        self.bad_value(here, &what, &help);
    }

    /// Reports a text without quotes that could be meant as `false`.
    pub(super) fn text_for_false(&mut self, node: &Node) {
        let written = self.source.text.get(node.span.range());
        // In quotes it is meant as it is; what is written in an unusual way is as well.
        let Some(text) = written.filter(|written| node.as_str() == Some(*written)) else {
            return;
        };
        let message = format!("`{text}` could be meant as `false`, and is a text here");
        let help = format!("write `false` to switch it off, or `\"{text}\"` if the text is meant");
        self.push(Code::BadValue, message, node.span, help);
    }

    /// A word of conditions next to a path, `name`, or as one.
    pub(super) fn mixed_keys(&mut self, name: Option<&Entry>, word: &Entry) {
        let help = format!(
            "if the path `{0}` is meant, write `$.{0}`",
            printable(&word.key)
        );
        let Some(name) = name else {
            let message = format!(
                "`{}` is a condition on the whole value, found {}",
                printable(&word.key),
                word.value.describe()
            );
            return self.push(Code::WrongType, message, word.key_span, help);
        };
        let message = format!(
            "`{}` is a path, and `{}` a condition on the whole value: they exclude each other",
            printable(&name.key),
            printable(&word.key)
        );
        self.push(Code::Contradiction, message, name.key_span, help);
    }

    /// Makes the last problem one that stops nothing.
    pub(super) fn warn_of_last(&mut self) {
        if let Some(last) = self.list.last_mut() {
            last.severity = Severity::Warning;
        }
    }

    /// A key without a value.
    pub(super) fn empty_value(&mut self, entry: &Entry) {
        let message = format!("`{}` has no value", entry.key);
        self.push(
            Code::EmptyValue,
            message,
            entry.key_span,
            "write a value, or remove the key",
        );
    }

    /// Something that the version of the file does not have yet.
    pub(super) fn newer(&mut self, what: &str, since: Version, declared: &str, span: Span) {
        let message = format!("{what} needs version {since}; {declared}");
        let help = format!("write `version: \"{since}\"`, which `ananke check --fix` does");
        self.push(Code::NewerKey, message, span, help);
    }

    /// Lets every problem of a newer key offer the version that all of them need.
    pub(super) fn offer_version(&mut self, root: &Node, version: Version, needed: Version) {
        let text = |span: Span| self.source.text.get(span.range());
        let (span, written, raised) = if let Some(span) = root.get("version").map(|node| node.span)
        {
            let Some(written) = text(span) else {
                return;
            };
            let raised = written.replacen(&version.to_string(), &needed.to_string(), 1);
            (span, written, raised)
        } else {
            // The file has the version of its config, and gets a line of its own.
            let start = root.span.start;
            let span = Span { start, end: start };
            (span, "", format!("version: \"{needed}\"\n"))
        };
        let is_flow =
            written.is_empty() && text(root.span).is_none_or(|text| text.starts_with('{'));
        // What is written in an unusual way (an alias, escapes, one line of YAML) is left alone.
        if raised != written && !is_flow {
            for problem in self
                .list
                .iter_mut()
                .filter(|problem| problem.code == Code::NewerKey)
            {
                *problem = problem.clone().fix(self.source, span, raised.clone());
            }
        }
    }

    /// Keys in a mapping with one that excludes all others.
    pub(super) fn beside(&mut self, alone: &str, entries: &[&Entry]) {
        let Some((first, rest)) = entries.split_first() else {
            return;
        };
        let names: Vec<String> = entries
            .iter()
            .map(|entry| format!("`{}`", entry.key))
            .collect();
        let them = if rest.is_empty() { "it" } else { "them" };
        let message = format!("{} cannot be combined with `{alone}`", all_of(&names));
        let problem =
            Diagnostic::error(Code::Contradiction, message).at(self.source, first.key_span, "");
        let problem = rest.iter().fold(problem, |problem, entry| {
            problem.at(self.source, entry.key_span, "")
        });
        self.list.push(problem.help(format!(
            "put {them} into an entry of `{alone}`, or remove `{alone}`"
        )));
    }

    /// Something else than the mapping that a union expects.
    pub(super) fn no_mapping(
        &mut self,
        here: &Here<'_>,
        schema: &'static Value,
        branches: &[Value],
        levels: &[SchemaLevel],
    ) {
        self.wrong_type(here, "a mapping", schema, levels);
        let tags: Vec<&str> = branches.iter().filter_map(union::tag).collect();
        if let (Some(text), Some(problem)) = (here.node.as_str(), self.list.last_mut())
            && branches.iter().all(union::needs_tag)
            && !text.is_empty()
        {
            problem.help.push(format!(
                "begin it with `type:`, one of `{}`",
                tags.join("`, `")
            ));
        }
    }

    /// A mapping whose `type` is missing.
    pub(super) fn no_tag(&mut self, here: &Here<'_>, branches: &[Value], tags: &[&str]) {
        let other = branches.iter().find_map(union::choosing_key);
        let other = other
            .map(|key| format!(", or `{key}:`"))
            .unwrap_or_default();
        let help = format!("add `type:`, one of `{}`{other}", tags.join("`, `"));
        self.push(
            Code::MissingKey,
            "the key `type` is missing".to_owned(),
            here.head(),
            help,
        );
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
        // `connect` for `agui:connect`.
        let of_protocol = tags
            .iter()
            .find(|tag| tag.split_once(':').is_some_and(|(_, kind)| kind == text));
        let help = match of_protocol {
            Some(tag) => format!("did you mean `{tag}`?"),
            None => suggest(text, tags, "the types are"),
        };
        self.push(Code::UnknownValue, message, written.span, help);
        self.offer(written.span, text, tags);
    }

    /// A mapping of which exactly one key of a set is expected.
    pub(super) fn wrong_keys(
        &mut self,
        here: &mut Here<'_>,
        keys: &[&'static str],
        levels: &[SchemaLevel],
    ) {
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
                    format!("`{}` must be in an entry of its own", second.key),
                    "this mapping takes one key: begin a new entry with `- `".to_owned(),
                ),
            };
            self.push(Code::Contradiction, message, second.key_span, help);
        } else if entries.is_empty() {
            let help = format!("add one of `{}`", keys.join("`, `"));
            self.push(
                Code::MissingKey,
                "this mapping is empty".to_owned(),
                here.node.span,
                help,
            );
        }
        for entry in entries.iter().filter(|entry| !is_known(entry)) {
            self.unknown_key(here, entry, keys, levels);
        }
    }

    pub(super) fn unknown_key(
        &mut self,
        here: &mut Here<'_>,
        entry: &Entry,
        known: &[&'static str],
        levels: &[SchemaLevel],
    ) -> KeyMeaning {
        let key = entry.key.as_str();
        let has_sentence = sentence(self.kind, entry, known).is_some();
        let renamed = meanings(self.kind, key)
            .iter()
            .find(|meaning| known.contains(meaning))
            .filter(|meaning| {
                !has_sentence && here.node.get(meaning).is_none() && !here.is_meant(meaning)
            });
        // The key that this mapping has for it is nearer than the other mapping that has a key of this name.
        let elsewhere = if has_sentence || renamed.is_some() {
            None
        } else {
            in_other_branches(here, key)
        };
        let place = if elsewhere.is_none() {
            self.place(here, entry, known, levels)
        } else {
            None
        };
        let is_elsewhere = elsewhere.is_some() || place.is_some();
        let meant = nearest(key, known.iter().copied()).filter(|_| !is_elsewhere);
        // A fix must not make a key that is there already, or that another fix makes.
        let can_be_fixed =
            meant.is_some_and(|meant| !here.is_meant(meant) && here.node.get(meant).is_none());
        here.meant.extend(meant.map(str::to_owned));
        let shown = printable(key);
        let is_type_of_heir =
            key == "type" && known.contains(&EXTENDS) && here.node.get(EXTENDS).is_some();
        let help = match elsewhere {
            _ if is_type_of_heir => "a target that extends another has its type".to_owned(),
            Some((name, types)) if name == key => format!("`{shown}` goes with {types}"),
            Some((name, types)) => format!("this is called `{name}`, and goes with {types}"),
            None => place.unwrap_or_else(|| suggest(key, known, "the keys here are")),
        };
        self.push(
            Code::UnknownKey,
            format!("unknown key `{shown}`"),
            entry.key_span,
            help,
        );
        match renamed {
            Some(renamed) => self.rename(entry.key_span, key, renamed),
            None if can_be_fixed && !is_type_of_heir => {
                self.offer(entry.key_span, key, known);
            }
            None => {}
        }
        match meant {
            _ if is_elsewhere || is_type_of_heir => KeyMeaning::Possible,
            None => KeyMeaning::Unknown,
            Some(_) => match nearest_certain(key, known).filter(|_| can_be_fixed) {
                Some(certain) => KeyMeaning::Certain(certain),
                None => KeyMeaning::Possible,
            },
        }
    }

    /// So many more keys of a mapping are unknown, from `next` on.
    pub(super) fn further_unknown_keys(&mut self, next: &Entry, count: usize) {
        self.push(
            Code::UnknownKey,
            format!("{count} more unknown keys in this mapping"),
            next.key_span,
            "is this the file that was meant?".to_owned(),
        );
    }

    pub(super) fn unknown_value(
        &mut self,
        here: &Here<'_>,
        schema: &'static Value,
        levels: &[SchemaLevel],
    ) {
        let options: Vec<&str> = match schema
            .get("oneOf")
            .or_else(|| schema.get("enum"))
            .and_then(Value::as_array)
        {
            Some(options) => options
                .iter()
                .filter_map(|option| option.get("const").unwrap_or(option).as_str())
                .collect(),
            None => schema
                .get("const")
                .and_then(Value::as_str)
                .into_iter()
                .collect(),
        };
        match here.node.as_str() {
            Some(text) if !options.is_empty() => {
                let message = format!("unknown value `{}`", printable(text));
                let key = here.entry.map_or("", |entry| entry.key.as_str());
                if let Some(help) = value_sentence(self.kind, key, text) {
                    self.push(Code::UnknownValue, message, here.node.span, help);
                    return;
                }
                let mut known = options.clone();
                if known.len() > SHORT_LIST {
                    known = nearest_first(text, &options);
                }
                let help = suggest(text, &known, "the values are");
                self.push(Code::UnknownValue, message, here.node.span, help);
                self.offer(here.node.span, text, &options);
            }
            _ => self.wrong_type(here, &expected(schema), schema, levels),
        }
    }

    /// Adds to the problem of an unknown word, if it is the one after the first `known`, the mappings that may be written instead: those
    /// in the examples of the schema.
    pub(super) fn add_mappings(&mut self, known: usize, schema: &'static Value) {
        let examples = schema.get("examples").and_then(Value::as_array);
        let mappings = examples.into_iter().flatten().filter_map(Value::as_object);
        let keys = mappings.filter_map(|mapping| mapping.keys().next());
        let written: Vec<String> = keys.map(|key| format!("`{{ {key}: … }}`")).collect();
        if let ([problem], false) = (&mut self.list[known..], written.is_empty()) {
            let written = any_of(&written);
            problem.help.push(format!("or write a mapping: {written}"));
        }
    }

    /// A value of another type than is `expected`, with what to write instead.
    pub(super) fn wrong_type(
        &mut self,
        here: &Here<'_>,
        expected: &str,
        schema: &'static Value,
        levels: &[SchemaLevel],
    ) {
        let node = here.node;
        match (&node.value, here.entry) {
            (NodeValue::Null, Some(entry)) => self.empty_value(entry),
            (NodeValue::Null, None) => {
                let help = format!("write {expected}, or delete the entry");
                self.push(
                    Code::EmptyValue,
                    "this list entry has no value".to_owned(),
                    node.span,
                    help,
                );
            }
            _ => {
                let message = format!("expected {expected}, found {}", node.describe());
                let problem =
                    Diagnostic::error(Code::WrongType, message).at(self.source, node.span, "");
                if let (Some(entry), Some(level)) = (here.entry, levels.last()) {
                    let known: Vec<&str> = level.properties.keys().map(String::as_str).collect();
                    if let Some(sentence) = collection_sentence(self.kind, entry, &known) {
                        return self.list.push(problem.help(sentence));
                    }
                }
                let remedy = remedy(
                    self.source,
                    self.schema,
                    schema,
                    here,
                    levels.last().copied(),
                );
                self.list.push(match remedy {
                    Some(Remedy {
                        help,
                        edit: Some((span, text)),
                    }) => problem.help(help).fix(self.source, span, text),
                    Some(Remedy { help, edit: None }) => problem.help(help),
                    None => problem,
                });
            }
        }
    }

    /// A value of the right type that is not allowed: `what` says why.
    pub(super) fn bad_value(&mut self, here: &Here<'_>, what: &str, help: &str) {
        let subject = here
            .entry
            .map_or_else(|| "this".to_owned(), |entry| format!("`{}`", entry.key));
        self.push(
            Code::BadValue,
            format!("{subject} {what}"),
            here.node.span,
            help,
        );
    }

    /// A number that is not between `least` and `most`.
    pub(super) fn out_of_range(&mut self, here: &Here<'_>, least: &Value, most: &Value) {
        self.push(
            Code::BadValue,
            format!("`{}` is out of range", here.node.to_json()),
            here.node.span,
            format!("expected a whole number from {least} to {most}"),
        );
    }

    /// Lets the last problem offer the name that is certainly meant by `written` at `span`, if there is one.
    fn offer(&mut self, span: Span, written: &str, known: &[&str]) {
        if let Some(meant) = nearest_certain(written, known) {
            self.rename(span, written, meant);
        }
    }

    /// Lets the last problem, about what is written at `span`, offer another name.
    fn rename(&mut self, span: Span, written: &str, meant: &str) {
        let Some(source) = self.source.text.get(span.range()) else {
            return;
        };
        // What is written in an unusual way (an alias, escapes) is left alone.
        let is_as_written = ["", "'", "\""]
            .iter()
            .any(|quote| source == format!("{quote}{written}{quote}"));
        if is_as_written && let Some(problem) = self.list.pop() {
            self.list
                .push(problem.fix(self.source, span, source.replacen(written, meant, 1)));
        }
    }

    fn push(&mut self, code: Code, message: String, span: Span, help: impl Into<String>) {
        self.list.push(
            Diagnostic::error(code, message)
                .at(self.source, span, "")
                .help(help),
        );
    }
}

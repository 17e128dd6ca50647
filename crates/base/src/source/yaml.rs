//! YAML text to a tree with places: the only user of the YAML crate.
//!
//! Flows in: a [`SourceFile`]. Flows out: a [`Node`], and what is wrong with the text in words of our own; the
//! crate's own texts speak to programmers and never reach a user.

use std::marker::PhantomData;
use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use serde_yaml::Spanned;
use serde_yaml::budget::BudgetBreach;
use serde_yaml::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

use super::yaml_error::{MAX_DEPTH, explain, span};
use super::{MAX_BYTES, Node, NodeValue, spelled};
use super::{duplicate_keys::find_duplicates, node_serde::NodeValueVisitor, read::too_large};
use crate::diagnostic::{self, Code, Diagnostic, SourceFile};

/// The depth of documents that people write by hand.
const USUAL_DEPTH: usize = 20;

/// Stack for a document of [`MAX_DEPTH`] levels, four times what a debug build needs.
const DEEP_STACK: usize = 16 * 1024 * 1024;

/// The most values that aliases may expand to in one file: a hundred thousand honest uses, but no alias bomb.
const MAX_ALIASED: usize = 250_000;

/// Reads a YAML document: the tree, or everything that is wrong with the text.
///
/// # Errors
/// If the text is not YAML, is over a limit, is empty, or repeats a key.
pub fn parse(source: &Arc<SourceFile>) -> Result<Node, Vec<Diagnostic>> {
    match tree(source) {
        (Some(node), diagnostics) if diagnostics.is_empty() => Ok(node),
        (_, diagnostics) => Err(diagnostics),
    }
}

/// Reads a YAML document as far as it goes: a tree may come with problems, so that those below can be looked for too.
/// Without a tree there is at least one problem.
pub fn tree(source: &Arc<SourceFile>) -> (Option<Node>, Vec<Diagnostic>) {
    if source.text.len() > MAX_BYTES {
        return (None, vec![too_large(&source.name).in_file(source)]);
    }
    match read(&source.text) {
        Ok(node) => {
            if node.value == NodeValue::Null {
                return (None, vec![empty(source)]);
            }
            let mut node = node;
            restore_digits(&mut node, &source.text);
            let mut diagnostics = Vec::new();
            find_duplicates(source, &node, &mut diagnostics);
            (Some(node), diagnostics)
        }
        Err(serde_yaml::Error::Eof { .. }) if is_blank(&source.text) => (None, vec![empty(source)]),
        Err(error) => (None, vec![explain(source, &error)]),
    }
}

/// Reads a document. The crate recurses and wants much stack a level, so a deep one is read again on a thread with
/// enough of it, and the threads that programs usually run on are never short of it.
fn read(text: &str) -> Result<Node, serde_yaml::Error> {
    let read = |depth| {
        serde_yaml::from_str_with_options::<Spanned<YamlValue>>(text, options(depth))
            .map(Node::from)
    };
    let shallow = read(USUAL_DEPTH);
    if !matches!(&shallow, Err(error) if is_too_deep(error)) {
        return shallow;
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP_STACK);
        let deep = thread
            .spawn_scoped(scope, || read(MAX_DEPTH))
            .map(std::thread::ScopedJoinHandle::join);
        match deep {
            Ok(Ok(read)) => read,
            // The system gives no thread: the document counts as too deep.
            _ => shallow,
        }
    })
}

fn is_too_deep(error: &serde_yaml::Error) -> bool {
    match error {
        serde_yaml::Error::AliasError { error, .. } => is_too_deep(error),
        serde_yaml::Error::Budget { breach, .. } => matches!(breach, BudgetBreach::Depth { .. }),
        _ => false,
    }
}

fn options(depth: usize) -> serde_yaml::Options {
    serde_yaml::options! {
        budget: serde_yaml::budget! {
            // The text is bounded, so these follow from it; the defaults refuse an honest file of 6 MB.
            max_events: 16_000_000,
            max_nodes: 8_000_000,
            max_aliases: MAX_ALIASED,
            max_merge_keys: MAX_ALIASED,
            max_depth: depth,
            // One `&defaults` used by a hundred tests is honest.
            enforce_alias_anchor_ratio: false,
        },
        alias_limits: serde_yaml::alias_limits! { max_total_replayed_events: MAX_ALIASED },
        // The first one would end the reading; `find_duplicates` reports every one.
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        // YAML 1.2: `no` is a word, `017` no octal number, `1_000` no number at all.
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        // A tag that is not understood changes the meaning of its value: better refused than dropped.
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

fn is_blank(text: &str) -> bool {
    text.lines()
        .all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
}

fn empty(source: &Arc<SourceFile>) -> Diagnostic {
    Diagnostic::error(Code::EmptyValue, "the file is empty").in_file(source)
}

/// The crate reads numbers with a fraction or an exponent, and integers beyond 64 bits, as floating-point numbers: how they
/// are spelled comes from the text, if JSON has that spelling.
fn restore_digits(node: &mut Node, text: &str) {
    match &mut node.value {
        NodeValue::List(items) => {
            for item in items {
                restore_digits(item, text);
            }
        }
        NodeValue::Map(entries) => {
            for entry in entries {
                restore_digits(&mut entry.value, text);
            }
        }
        NodeValue::Number(number) if number.is_f64() => {
            let written = text.get(node.span.range()).unwrap_or_default();
            let written = written.strip_prefix('+').unwrap_or(written);
            if let Some(spelled) = spelled(written)
                && spelled.as_f64() == number.as_f64()
            {
                *number = spelled;
            }
        }
        _ => {}
    }
}

/// A value as the crate hands it over: its place comes around it.
struct YamlValue(NodeValue);

/// A key with its place.
#[derive(Deserialize)]
#[serde(transparent)]
struct YamlKey(Spanned<String>);

impl From<Spanned<YamlValue>> for Node {
    fn from(read: Spanned<YamlValue>) -> Self {
        // The spelling of such a number is at its anchor, not at the alias.
        let has_spelling = matches!(&read.value.0, NodeValue::Number(number) if number.is_f64());
        let mut place = span(if has_spelling {
            read.defined
        } else {
            read.referenced
        });
        // A block mapping begins with its first key and has no sign of its own.
        if let (NodeValue::Map(entries), true) = (&read.value.0, place.start == place.end)
            && let Some(first) = entries.first()
            && first.key_span.start == place.start
        {
            place = first.key_span;
        }
        Self {
            value: read.value.0,
            span: place,
        }
    }
}

impl From<YamlKey> for diagnostic::Spanned<String> {
    fn from(YamlKey(read): YamlKey) -> Self {
        Self {
            span: span(read.referenced),
            value: read.value,
        }
    }
}

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(NodeValueVisitor::<YamlKey, Spanned<Self>>(PhantomData))
            .map(Self)
    }
}

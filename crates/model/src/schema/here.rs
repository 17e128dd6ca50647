//! The value that a walk has come to, and what is known of its keys so far.

use serde_json::{Map, Value};

use super::{FileKind, demands::demands, union};
use ananke_base::diagnostic::Span;
use ananke_base::source::{Entry, Node};

/// The value that a walk has come to.
pub(super) struct Here<'n> {
    pub(super) node: &'n Node,
    /// Its entry, where it is the value of a key.
    pub(super) entry: Option<&'n Entry>,
    /// The definition in the schema that it is held against, if that has a name.
    pub(super) definition: Option<&'static str>,
    /// The keys that the schema knows here.
    pub(super) properties: Option<&'static Map<String, Value>>,
    /// The required keys that are not there, each with the key with which it would not be required.
    pub(super) missing: Vec<(&'static str, Option<&'static str>)>,
    /// The key without which what is looked at would not be required.
    pub(super) unless: Option<&'static str>,
    /// Keys that are not missing: an unknown key of the mapping is probably meant to be one of them, or shows that another
    /// `type` is meant.
    pub(super) meant: Vec<String>,
    /// Keys that are unknown here and known with another `type`, by this name or another: with that name, and the types.
    pub(super) elsewhere: Vec<(&'n str, &'n str, Vec<&'static str>)>,
}

impl<'n> Here<'n> {
    pub(super) fn new(node: &'n Node, entry: Option<&'n Entry>) -> Self {
        Self {
            node,
            entry,
            definition: None,
            properties: None,
            missing: Vec::new(),
            unless: None,
            meant: Vec::new(),
            elsewhere: Vec::new(),
        }
    }

    /// Whether an unknown key is probably meant to be this one.
    pub(super) fn is_meant(&self, key: &str) -> bool {
        self.meant.iter().any(|meant| meant == key)
    }

    /// Finds the keys that the branch at `chosen` does not know and another does.
    pub(super) fn find_elsewhere(
        &mut self,
        kind: FileKind,
        branches: &'static [Value],
        chosen: usize,
    ) {
        self.elsewhere = union::of_others(kind, branches, chosen, self.node).collect();
        // If another type is meant, nothing of this one is missing.
        if !self.elsewhere.is_empty() && self.node.get("type").is_none() {
            self.meant
                .extend(demands(&branches[chosen]).map(str::to_owned));
        }
    }

    /// The text that is underlined instead of the whole value: the first key of a mapping.
    pub(super) fn head(&self) -> Span {
        self.node
            .entries()
            .first()
            .map_or(self.node.span, |entry| entry.key_span)
    }
}

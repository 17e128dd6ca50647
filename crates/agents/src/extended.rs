//! A target that tests can name: one of its own, or one that extends another.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer};

use super::common::TargetCommon;
use super::config::{TargetConfig, protocol_of};
use ananke_base::source::{self, Entry, Node, NodeValue, TypeMismatch};
use ananke_model::model::{AssertBlock, TAG_DEFAULTS, Text};

/// The key that names the target that another one extends.
const EXTENDS: &str = "extends";

/// Keys of a target that are not merged with those of the target it extends.
const NOT_MERGED: [&str; 2] = [EXTENDS, "assert"];

/// A target that tests can name, as it is written. A target that extends another has any of the keys of any protocol;
/// it is merged as a tree, and the result is read by the protocol of the target at the end of the chain.
#[derive(Clone, Debug)]
pub struct NamedTarget {
    /// The definition as it is written.
    pub node: Node,
}

impl NamedTarget {
    /// The target whose keys this one inherits, by its name in the config.
    pub fn extends(&self) -> Option<Text> {
        source::from_node(self.node.get(EXTENDS)?, TAG_DEFAULTS).ok()
    }

    /// The assertions written here.
    pub fn assert_block(&self) -> Option<AssertBlock> {
        source::from_node(self.node.get("assert")?, TAG_DEFAULTS).ok()
    }

    /// Checks that what is written has the shape of a target. One that extends another is read once it is merged.
    ///
    /// # Errors
    /// If it has not: the first such place.
    pub fn check(&self) -> Result<(), TypeMismatch> {
        match self.node.get(EXTENDS) {
            Some(extends) => source::from_node::<Text>(extends, TAG_DEFAULTS).map(|_| ()),
            None => TargetConfig::read(&self.node).map(|_| ()),
        }
    }

    /// The keys of this target that are merged with those of the target that it extends. `base` is the target at the end of the
    /// chain, which has the `type`.
    pub fn merged_keys(&self, base: &Node) -> Node {
        // A protocol may accept two spellings of a key. Both become the protocol's own, so that they replace each other. A `base`
        // without a valid `type` is reported elsewhere, and no spelling is known.
        let spellings = match protocol_of(base) {
            Ok(protocol) => protocol.spellings(),
            Err(_) => BTreeMap::new(),
        };
        let mut entries = Vec::new();
        for entry in self.node.entries() {
            // `extends` has done its work. `assert` is merged by the rules for levels and not key by key: the target that is
            // extended is the outer level, and this one the inner level.
            if NOT_MERGED.contains(&entry.key.as_str()) {
                continue;
            }
            let mut entry = entry.clone();
            if let Some(own_spelling) = spellings.get(&entry.key) {
                entry.key.clone_from(own_spelling);
            }
            entries.push(entry);
        }
        Node {
            value: NodeValue::Map(entries),
            span: self.node.span,
        }
    }

    /// The keys of this target that are wrong, because it extends `base` and so has the protocol of `base`. `None` if this target
    /// extends none, or if `base` has no valid `type`, which is reported elsewhere.
    pub fn misplaced_keys<'a>(&'a self, base: &Node) -> Option<MisplacedKeys<'a>> {
        self.node.get(EXTENDS)?;
        let protocol = protocol_of(base).ok()?;
        let mut known = protocol.keys();
        known.extend(TargetCommon::KEYS.map(str::to_owned));
        // Each entry of `spellings` is another spelling of a key that the protocol accepts, with the key itself.
        let spellings = protocol.spellings();
        let mut unknown = Vec::new();
        let mut doubled = Vec::new();
        for entry in self.node.entries() {
            match spellings.get(&entry.key) {
                // A key in both spellings is reported, because one of its two values would be lost.
                Some(key) if self.node.get(key).is_some() => doubled.push((entry, key.clone())),
                // Another spelling alone is right.
                Some(_) => {}
                None if entry.key == EXTENDS || known.contains(&entry.key) => {}
                None => unknown.push(entry),
            }
        }
        Some(MisplacedKeys {
            known,
            unknown,
            doubled,
        })
    }
}

/// Keys that a target cannot have, since it extends one of another protocol or has them by two names.
pub struct MisplacedKeys<'a> {
    /// The names that are right here, among which a message finds the one that was meant.
    pub known: BTreeSet<String>,
    /// The keys that the protocol does not have by any name.
    pub unknown: Vec<&'a Entry>,
    /// The keys that are there by two names, each with the protocol's own name.
    pub doubled: Vec<(&'a Entry, String)>,
}

impl<'de> Deserialize<'de> for NamedTarget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Node::deserialize(deserializer).map(|node| Self { node })
    }
}

//! A target that tests can name: one of its own, or one that extends another.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};

use super::common::TargetCommon;
use super::config::{TargetConfig, protocol_of};
use super::registry::Registration;
use ananke_base::source::{self, Entry, Node, NodeValue, TypeMismatch};
use ananke_model::model::{AssertBlock, TAG_DEFAULTS, Text};

/// The key that names the target that another one extends.
const EXTENDS: &str = "extends";

/// Keys of a target that are not merged with those of the target it extends.
const APART: [&str; 2] = [EXTENDS, "assert"];

/// A target that tests can name, as it is written. A target that extends another has any of the keys of any protocol;
/// it is merged as a tree, and the result is read by the protocol of the target at the end of the chain.
#[derive(Clone, Debug)]
pub struct NamedTarget {
    /// What is written.
    pub node: Node,
}

impl NamedTarget {
    /// The name of the target that this one extends.
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

    /// What is merged with the target that this one extends, which has the protocol of `base`: in the spelling of that.
    pub fn merged_keys(&self, base: &Node) -> Node {
        let mut keys = without(&self.node, |key| APART.contains(&key));
        let spellings = protocol_of(base).map(Registration::spellings);
        if let (NodeValue::Map(entries), Ok(spellings)) = (&mut keys.value, spellings) {
            for entry in entries {
                if let Some(key) = spellings.get(&entry.key) {
                    entry.key.clone_from(key);
                }
            }
        }
        keys
    }

    /// The keys that a target of the same protocol as `base` has, and those written here that it does not have; `None` if
    /// this target extends none.
    pub fn unknown_keys<'a>(&'a self, base: &Node) -> Option<(BTreeSet<String>, Vec<&'a Entry>)> {
        self.node.get(EXTENDS)?;
        let protocol = protocol_of(base).ok()?;
        let mut known = protocol.keys();
        known.extend(TargetCommon::KEYS.map(str::to_owned));
        known.extend(protocol.spellings().into_keys());
        let is_unknown = |entry: &&Entry| entry.key != EXTENDS && !known.contains(&entry.key);
        let unknown = self.node.entries().iter().filter(is_unknown).collect();
        Some((known, unknown))
    }
}

fn without(node: &Node, is_left_out: impl Fn(&str) -> bool) -> Node {
    let kept = node
        .entries()
        .iter()
        .filter(|entry| !is_left_out(&entry.key));
    Node {
        value: NodeValue::Map(kept.cloned().collect()),
        span: node.span,
    }
}

impl<'de> Deserialize<'de> for NamedTarget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Node::deserialize(deserializer).map(|node| Self { node })
    }
}

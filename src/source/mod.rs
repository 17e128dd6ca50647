//! From bytes to a tree in which every key and value knows its place.
//!
//! `yaml` reads the bytes (the only user of the YAML crate), [`Node`] is the tree, `typed` turns a tree into a value
//! of the model. Nothing here knows which keys mean what.

mod node;
mod typed;
mod yaml;

pub use node::{Entry, FreeMap, Node, NodeValue};
pub use typed::{Mismatch, ONE_OR_MANY, TagDefault, from_node};
pub use yaml::parse;

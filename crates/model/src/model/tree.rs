//! Values that may be written in several forms: they are read from the tree, which says what is written.

use serde::de::{DeserializeOwned, Error};

use super::language::TAG_DEFAULTS;
use ananke_base::source::{self, Node};

/// Reads one of the forms of a value.
///
/// # Errors
/// If the tree has not that form.
pub fn form<T: DeserializeOwned, E: Error>(node: &Node) -> Result<T, E> {
    source::from_node(node, TAG_DEFAULTS).map_err(E::custom)
}

/// The error of a value that has none of its forms; they are `expected`, in words.
pub(super) fn no_form<E: Error>(node: &Node, expected: &str) -> E {
    E::custom(format!("expected {expected}, found {}", node.describe()))
}

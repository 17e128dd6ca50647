//! Values that may be written in several forms, and whole files: they are read from the tree, which says what is written.

use serde::de::{DeserializeOwned, Error};

use super::TAG_DEFAULTS;
use ananke_base::source::{self, Node, TypeMismatch};

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

/// The beginning of keys at the top of a file that are the user's own: for anchors, never read (SPEC 1).
const EXTENSION: &str = "x-";

/// Whether a key at the top of a file is the user's own.
pub fn is_extension_key(key: &str) -> bool {
    key.starts_with(EXTENSION)
}

/// A file, as a value that is read from the whole of its tree.
pub trait File: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// The first place where the tree does not fit.
    fn read(root: &Node) -> Result<Self, TypeMismatch>;
}

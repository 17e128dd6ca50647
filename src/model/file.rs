//! What the files of the model have in common.

use crate::source::{Mismatch, Node};

/// What the keys at the top of a file begin with that are the user's own: homes for anchors, never read (SPEC 1).
const HOME: &str = "x-";

/// Whether a key at the top of a file is the user's own.
pub fn is_home(key: &str) -> bool {
    key.starts_with(HOME)
}

/// A file, as a value that is read from the whole of its tree.
pub trait File: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// Where the tree does not fit: the first such place.
    fn read(root: &Node) -> Result<Self, Mismatch>;
}

//! What the files of the model have in common.

use ananke_base::source::{Node, TypeMismatch};

/// What the keys at the top of a file begin with that are the user's own: for anchors, never read (SPEC 1).
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
    /// Where the tree does not fit: the first such place.
    fn read(root: &Node) -> Result<Self, TypeMismatch>;
}

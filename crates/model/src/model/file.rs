//! The properties that all files of the model have.

use ananke_base::source::{Node, TypeMismatch};

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

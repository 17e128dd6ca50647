//! How far the files that a test names are looked at.

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileAccess {
    /// Whether it is there is checked.
    Check,
    /// It is read.
    Read,
}

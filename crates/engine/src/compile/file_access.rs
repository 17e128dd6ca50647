//! The extent to which the files that a test names are read.

/// The kinds of access to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileAccess {
    /// Whether it is there is checked.
    Check,
    /// It is read.
    Read,
}

//! A leaf of a file with its variables filled in, or why it is not there.

/// A leaf with its variables filled in: ready, or [`Pending`](NotReady::Pending), or [`Invalid`](NotReady::Invalid).
pub type Leaf<T> = Result<T, NotReady>;

/// The reason why a leaf has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReady {
    /// Something it needs is known later.
    Pending,
    /// Something is wrong with it, which was reported.
    Invalid,
}

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

/// Fills each of several with `fill`, also after one that is not ready, so that every problem is reported.
///
/// # Errors
/// Those of the first that is not ready.
pub fn fill_all<W, T, C: FromIterator<T>>(
    written: impl IntoIterator<Item = W>,
    fill: impl FnMut(W) -> Leaf<T>,
) -> Leaf<C> {
    let filled: Vec<Leaf<T>> = written.into_iter().map(fill).collect();
    filled.into_iter().collect()
}

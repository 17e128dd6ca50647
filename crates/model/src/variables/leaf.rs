//! A leaf of a file with its variables filled in, or why it is not there, and the purpose for which leaves are filled.

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

/// The purpose for which leaves are filled: it decides what may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To be sent: everything must be there.
    Send,
    /// To be checked: an environment variable that only matters when something is sent is a warning if it is missing
    /// (SPEC 2).
    Check,
    /// To be shown and compared before anything runs: a reference whose value is known later stays as it is written. What
    /// a pattern means that contains one is checked when it is filled.
    Draft,
    /// To be replayed: a placeholder is used for an environment variable that only matters when something is sent.
    Replay,
}

impl Mode {
    /// Whether what only matters when something is sent may be missing.
    pub(super) fn sends_nothing(self) -> bool {
        matches!(self, Self::Check | Self::Replay)
    }
}

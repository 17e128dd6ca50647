//! The purpose for which leaves are filled.

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

//! Why a recording is of no use.

/// A recording that cannot be written, read, or played on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RecordingError {
    /// What is wrong, lower case, no full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

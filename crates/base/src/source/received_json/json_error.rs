//! The reason why a text cannot be read.

/// A text that is not JSON: why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonError(pub String);

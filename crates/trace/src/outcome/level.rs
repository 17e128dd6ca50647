//! The scope that a rule is defined on.

use serde::{Deserialize, Serialize};

/// The scope of a rule: the level of inheritance that it is defined on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// The target of the config.
    Target,
    /// The test.
    Test,
    /// A turn.
    Turn,
    /// A checkpoint.
    Checkpoint,
}

impl Level {
    /// The word in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Test => "test",
            Self::Turn => "turn",
            Self::Checkpoint => "checkpoint",
        }
    }
}

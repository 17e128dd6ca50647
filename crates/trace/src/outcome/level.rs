//! The scope that a rule is defined on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The level that a rule is defined on.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
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

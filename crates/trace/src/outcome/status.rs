//! The verdict of a test or turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Every rule passed.
    Passed,
    /// A rule failed.
    Failed,
    /// The agent, the connection or the setup failed.
    Error,
    /// A timeout was reached.
    Timeout,
    /// Not run, on purpose.
    Skipped,
    /// It ran as often as its `runs` allow, and its pass rate is neither clearly good nor clearly bad.
    Undecided,
    /// No rule failed, and a trace does not contain the facts of some: see `not_shown`.
    NotShown,
}

impl Status {
    /// The verdict that reports call `word`.
    pub fn named(word: &str) -> Option<Self> {
        let failing = [
            Self::Failed,
            Self::Error,
            Self::Timeout,
            Self::Undecided,
            Self::NotShown,
        ];
        let mut all = [Self::Passed, Self::Skipped].into_iter().chain(failing);
        all.find(|status| status.as_str() == word)
    }

    /// What people read.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotShown => "not shown",
            word => word.as_str(),
        }
    }

    /// The word that programs read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Skipped => "skipped",
            Self::Undecided => "undecided",
            Self::NotShown => "not_shown",
        }
    }

    /// Whether the run does not pass because of it.
    pub fn fails_the_run(self) -> bool {
        matches!(
            self,
            Self::Failed | Self::Error | Self::Timeout | Self::Undecided | Self::NotShown
        )
    }
}

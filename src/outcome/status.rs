//! The verdict of a test or turn.

use serde::{Deserialize, Serialize};

/// The verdict of a test or turn (SPEC 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Status {
    /// Every rule passed.
    Passed,
    /// A rule failed, or the conversation does not fit the test.
    Failed,
    /// The agent, the connection or the setup did not work.
    Error,
    /// It timed out.
    Timeout,
    /// Not run, on purpose.
    Skipped,
    /// It ran as often as allowed, and its pass rate is neither clearly good nor clearly bad.
    Undecided,
}

impl Status {
    /// The verdict that reports call `word`.
    pub fn named(word: &str) -> Option<Self> {
        let all = [Self::Passed, Self::Failed, Self::Error, Self::Timeout, Self::Skipped, Self::Undecided];
        all.into_iter().find(|status| status.as_str() == word)
    }

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Skipped => "skipped",
            Self::Undecided => "undecided",
        }
    }

    /// Whether the run does not pass because of it.
    pub fn fails_the_run(self) -> bool {
        matches!(self, Self::Failed | Self::Error | Self::Timeout | Self::Undecided)
    }
}

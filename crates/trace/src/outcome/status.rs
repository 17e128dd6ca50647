//! The verdict of a test or turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::words;

words! {
    /// A verdict.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum Status {
        /// Every rule passed.
        #[default]
        Passed = "passed",
        /// A rule failed.
        Failed = "failed",
        /// The agent, the connection or the setup failed.
        Error = "error",
        /// A timeout was reached.
        Timeout = "timeout",
        /// Not run, on purpose.
        Skipped = "skipped",
        /// It ran as often as its `runs` allow, and its pass rate is neither clearly good nor clearly bad.
        Undecided = "undecided",
        /// No rule failed, and a trace does not contain the facts of some: see `not_shown`.
        NotShown = "not_shown",
    }
}

impl Status {
    /// The words that people read.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotShown => "not shown",
            word => word.as_str(),
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

//! The end of a test as a whole, apart from the ends of its turns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::problem::Problem;
use ananke_derive::Mask;

/// The end of a test as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub enum TestEnd {
    /// It came to its last turn, or to the first that did not pass.
    #[default]
    Evaluated,
    /// It could not be evaluated: a hook, a variable, a script, its recording. A turn's problem is in its turn.
    Problem(Problem),
    /// It was not run, or not to its end: the cause, and in words.
    Skipped(#[mask(skip)] SkipCause, String),
}

/// The cause of a skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkipCause {
    /// Its file or the command line says so.
    Wanted,
    /// The run stopped before it began, or before it ended.
    RunStopped,
    /// Input that its agent waited for is missing: a run of such tests alone has shown nothing (SPEC 10).
    MissingInput,
}

impl TestEnd {
    /// The reason why it could not be evaluated.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            Self::Evaluated | Self::Skipped(..) => None,
        }
    }

    /// The cause of its skip, if it was skipped.
    pub fn skip_cause(&self) -> Option<SkipCause> {
        match self {
            Self::Skipped(cause, _) => Some(*cause),
            Self::Evaluated | Self::Problem(_) => None,
        }
    }

    /// The reason why it was not run, or not to its end.
    pub fn skip_reason(&self) -> Option<&str> {
        match self {
            Self::Skipped(_, reason) => Some(reason),
            Self::Evaluated | Self::Problem(_) => None,
        }
    }
}

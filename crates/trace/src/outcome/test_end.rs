//! How a test as a whole ended, apart from the ends of its turns.

use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::problem::Problem;

/// How a test as a whole ended, with the rules of the whole test that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TestEnd {
    /// It came to its last turn, or to the first that did not pass.
    Evaluated(Vec<Failure>),
    /// It could not be evaluated: a hook, a variable, a script, its recording. A turn's problem is in its turn.
    Problem(Problem, Vec<Failure>),
    /// It was not run, or not to its end: the cause, and in words.
    Skipped(SkipCause, String),
}

/// The cause of a skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SkipCause {
    /// Its file or the command line says so.
    Wanted,
    /// The run stopped before it began, or before it ended.
    RunStopped,
    /// Input that its agent waited for is missing: a run of such tests alone has shown nothing (SPEC 10).
    MissingInput,
}

impl TestEnd {
    /// Every rule of the whole test that failed.
    pub fn failures(&self) -> &[Failure] {
        match self {
            Self::Evaluated(failures) | Self::Problem(_, failures) => failures,
            Self::Skipped(..) => &[],
        }
    }

    /// Why it could not be evaluated.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem, _) => Some(problem),
            Self::Evaluated(_) | Self::Skipped(..) => None,
        }
    }

    /// The cause of its skip, if it was skipped.
    pub fn skip_cause(&self) -> Option<SkipCause> {
        match self {
            Self::Skipped(cause, _) => Some(*cause),
            Self::Evaluated(_) | Self::Problem(..) => None,
        }
    }

    /// Why it was not run, or not to its end.
    pub fn skip_reason(&self) -> Option<&str> {
        match self {
            Self::Skipped(_, reason) => Some(reason),
            Self::Evaluated(_) | Self::Problem(..) => None,
        }
    }
}

impl Default for TestEnd {
    /// Nothing was found.
    fn default() -> Self {
        Self::Evaluated(Vec::new())
    }
}

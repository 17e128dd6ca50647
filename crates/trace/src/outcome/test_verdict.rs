//! The result of a test: what its rules and its setup came to, how it ended, and why a conversation ends before its time.
//!
//! **Why:** What belongs to the whole test is here, and what belongs to a turn is in the turn: a hook that fails has no turn, and
//! a rule of the test looks at all of them. How a test ended is an enum, so that it cannot be skipped and broken at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Problem, RuleResult, RuleStatus, TurnEnd};
use ananke_derive::Mask;

/// A snapshot that a run wrote.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct SnapshotWritten {
    /// The file, as shown in messages.
    pub file: String,
    /// Whether there was none before.
    pub is_new: bool,
}

/// The result of the rules and the setup of a whole test; the result of a turn is in the turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct TestVerdict {
    /// The end of the test as a whole, which [`Outcome::end`](super::Outcome::end) alone decides.
    pub(super) end: TestEnd,
    /// The rules of the whole test with their results, and those of its turns that are not shown.
    pub rules: Vec<RuleResult>,
    /// The names that the target knows and that nothing understood: each with its number of occurrences.
    #[serde(default)]
    pub silenced: Vec<String>,
    /// The number of rules that were not evaluated, because no judge was to be asked.
    pub judges_not_asked: u32,
    /// Warnings about its setup and teardown that the plan could not know; a turn's warnings are in its turn.
    pub warnings: Vec<String>,
    /// The number of warnings, here and in turns, that `--deny-warnings` makes failures.
    #[serde(default)]
    pub denied_warnings: u32,
    /// The snapshots that were written because the test passed.
    pub snapshots: Vec<SnapshotWritten>,
}

impl TestVerdict {
    /// The end of the test as a whole.
    pub fn end(&self) -> &TestEnd {
        &self.end
    }

    /// Every rule of the whole test that failed.
    pub fn failures(&self) -> impl Iterator<Item = &RuleResult> + Clone {
        self.with(RuleStatus::Failed)
    }

    /// The rules that neither passed nor failed: something was not read, or a trace does not contain their facts.
    pub fn not_shown(&self) -> impl Iterator<Item = &RuleResult> + Clone {
        self.with(RuleStatus::NotShown)
    }

    /// The rules with this status.
    fn with(&self, status: RuleStatus) -> impl Iterator<Item = &RuleResult> + Clone {
        self.rules.iter().filter(move |rule| rule.status == status)
    }
}

/// The end of a test as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub enum TestEnd {
    /// The last turn, or the first that did not pass.
    #[default]
    Evaluated,
    /// A hook, a variable, a script or its recording, for which it could not be evaluated. A turn's problem is in its turn.
    Problem(Problem),
    /// Not run, or not to its end: the cause, and in words.
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

/// The reason why a conversation ends before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Something does not work: also in a run that is being stopped.
    Broken(Problem),
    /// The run is being stopped, which is no fault of the test.
    Stopped,
    /// The test cannot go on, and says that it is skipped then: the cause, and in words.
    Skipped(SkipCause, String),
}

impl From<Problem> for Halt {
    fn from(problem: Problem) -> Self {
        Self::Broken(problem)
    }
}

impl Halt {
    /// The same, whose message is made of its own one; only a problem has one.
    #[must_use]
    pub fn because(self, message: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Broken(problem) => Self::Broken(Problem {
                message: message(&problem.message),
                ..problem
            }),
            other @ (Self::Stopped | Self::Skipped(..)) => other,
        }
    }

    /// The end of a turn that `halt` ended, if anything did.
    pub fn turn_end(halt: Option<Self>) -> TurnEnd {
        match halt {
            None => TurnEnd::Evaluated,
            Some(Self::Broken(problem)) => TurnEnd::Problem(problem),
            Some(Self::Stopped | Self::Skipped(..)) => TurnEnd::Stopped,
        }
    }
}

//! The reason why a conversation ends before its time.

use super::problem::Problem;
use super::test_end::SkipCause;
use super::turn_end::TurnEnd;

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
    /// The same, with a message made of its own.
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

//! How a turn ended. Its status follows from this alone.

use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::problem::Problem;
use super::status::Status;

/// How a turn ended, with the rules that failed until then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TurnEnd {
    /// Every rule was evaluated.
    Evaluated(Vec<Failure>),
    /// It could not be evaluated to its end; requirements were not evaluated.
    Problem(Problem, Vec<Failure>),
    /// The run was stopped during the turn.
    Stopped(Vec<Failure>),
}

impl TurnEnd {
    /// The verdict.
    pub fn status(&self) -> Status {
        match self {
            Self::Evaluated(failures) if failures.is_empty() => Status::Passed,
            Self::Evaluated(_) => Status::Failed,
            Self::Problem(problem, _) => problem.kind.status(),
            Self::Stopped(_) => Status::Skipped,
        }
    }

    /// Every rule that failed.
    pub fn failures(&self) -> &[Failure] {
        let (Self::Evaluated(failures) | Self::Problem(_, failures) | Self::Stopped(failures)) =
            self;
        failures
    }

    /// The same, to be changed.
    pub fn failures_mut(&mut self) -> &mut Vec<Failure> {
        let (Self::Evaluated(failures) | Self::Problem(_, failures) | Self::Stopped(failures)) =
            self;
        failures
    }

    /// Why it could not be evaluated to its end.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem, _) => Some(problem),
            Self::Evaluated(_) | Self::Stopped(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn problem_mut(&mut self) -> Option<&mut Problem> {
        match self {
            Self::Problem(problem, _) => Some(problem),
            Self::Evaluated(_) | Self::Stopped(_) => None,
        }
    }

    /// The same end, of a turn that was not evaluated to its end for this reason.
    #[must_use]
    pub fn with_problem(self, problem: Problem) -> Self {
        let (Self::Evaluated(failures) | Self::Problem(_, failures) | Self::Stopped(failures)) =
            self;
        Self::Problem(problem, failures)
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::ErrorKind;
    use super::*;

    #[test]
    fn the_status_follows_from_the_end() {
        let problem = |kind| Problem {
            kind,
            message: String::new(),
            help: None,
        };
        for (end, status) in [
            (TurnEnd::Evaluated(Vec::new()), Status::Passed),
            (
                TurnEnd::Problem(problem(ErrorKind::Conversation), Vec::new()),
                Status::Failed,
            ),
            (
                TurnEnd::Problem(problem(ErrorKind::Capture), Vec::new()),
                Status::Failed,
            ),
            (
                TurnEnd::Problem(problem(ErrorKind::Timeout), Vec::new()),
                Status::Timeout,
            ),
            (
                TurnEnd::Problem(problem(ErrorKind::Agent), Vec::new()),
                Status::Error,
            ),
            (TurnEnd::Stopped(Vec::new()), Status::Skipped),
        ] {
            assert_eq!(end.status(), status, "{end:?}");
        }
    }
}

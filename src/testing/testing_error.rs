//! Why a session cannot do what it is asked for.

use std::fmt;

use crate::diagnostic::{Diagnostic, Severity};
use crate::plan::PrepareError;

/// Why a session cannot do what it is asked for. A test that gets one has not found out anything about its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestingError {
    /// The target, the config or a rule is wrong: every problem, a line each.
    Config(String),
    /// The agent could not be asked, or the turn did not end as it should.
    Agent(String),
    /// The judge could not be asked, or gave no verdict that can be read.
    Judge(String),
    /// The call itself is wrong.
    Usage(String),
}

impl TestingError {
    /// Problems of a config, a target or a rule.
    pub(super) fn of_problems(problems: &[Diagnostic]) -> Self {
        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
        Self::Config(errors.map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    }

    /// What is wrong with the call.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }
}

impl From<PrepareError> for TestingError {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::Broken(problems, _) => Self::of_problems(&problems),
            PrepareError::Changed => Self::Config("a file of the project was changed".to_owned()),
        }
    }
}

impl fmt::Display for TestingError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Config(message) | Self::Agent(message) | Self::Judge(message) | Self::Usage(message)) =
            self;
        formatter.write_str(message)
    }
}

impl std::error::Error for TestingError {}

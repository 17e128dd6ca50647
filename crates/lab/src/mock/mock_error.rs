//! The errors that prevent serving.

use std::fmt;

use crate::freeze::FreezeError;
use ananke_base::diagnostic::Diagnostic;
use ananke_trace::outcome::Problem;
use ananke_trace::redact::Redactor;

/// The error that prevents serving.
#[derive(Debug)]
pub enum MockError {
    /// Something is wrong with the files of the project.
    Broken(Vec<Diagnostic>, Redactor),
    /// Something else, and what to do.
    Refused {
        /// The problem.
        message: String,
        /// The remedy.
        help: Option<String>,
    },
}

impl MockError {
    pub(super) fn refused(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            help: Some(help.into()),
        }
    }
}

impl From<Problem> for MockError {
    fn from(problem: Problem) -> Self {
        Self::Refused {
            message: problem.message,
            help: problem.help,
        }
    }
}

impl From<FreezeError> for MockError {
    fn from(error: FreezeError) -> Self {
        match error {
            FreezeError::Broken(problems, redactor) => Self::Broken(problems, redactor),
            FreezeError::Refused { message, help } => Self::Refused { message, help },
        }
    }
}

impl fmt::Display for MockError {
    /// In one line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(problems, _) => {
                let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
                formatter.write_str(&texts.join("; "))
            }
            Self::Refused { message, .. } => formatter.write_str(message),
        }
    }
}

//! The error of work with tests: files are wrong, or what is asked for cannot be done.

use std::{fmt, io};

use ananke_base::diagnostic::{Diagnostic, Severity};
use ananke_trace::outcome::Problem;
use ananke_trace::redact::Redactor;

/// The error of work with tests.
#[derive(Debug)]
pub enum LabError {
    /// Something is wrong with files: what, with what masks their secrets.
    Broken(Vec<Diagnostic>, Redactor),
    /// It is refused.
    Refused {
        /// The reason.
        message: String,
        /// The remedy.
        help: Option<String>,
    },
}

impl LabError {
    /// It is refused, for this reason; what to do about it.
    pub fn refused(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            help: Some(help.into()),
        }
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { message, .. } => formatter.write_str(message),
            Self::Broken(problems, redactor) => {
                let is_error = |problem: &&Diagnostic| problem.severity == Severity::Error;
                let first = problems.iter().find(is_error).or(problems.first());
                let shown = first.map(ToString::to_string).unwrap_or_default();
                formatter.write_str(&redactor.text(&shown))
            }
        }
    }
}

impl From<io::Error> for LabError {
    fn from(error: io::Error) -> Self {
        Self::Refused {
            message: error.to_string(),
            help: None,
        }
    }
}

impl From<Problem> for LabError {
    fn from(Problem { message, help, .. }: Problem) -> Self {
        Self::Refused { message, help }
    }
}

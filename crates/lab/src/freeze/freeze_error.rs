//! The errors that prevent making a test from a conversation.

use std::fmt;

use ananke_base::diagnostic::{Diagnostic, Severity};
use ananke_trace::outcome::Problem;
use ananke_trace::redact::Redactor;

/// The error that prevents making a test from a conversation.
#[derive(Debug)]
pub enum FreezeError {
    /// Something is wrong with files: what, with what masks their secrets.
    Broken(Vec<Diagnostic>, Redactor),
    /// The conversation cannot be replayed, or the test is not the same.
    Refused {
        /// The reason.
        message: String,
        /// The remedy.
        help: Option<String>,
    },
}

impl FreezeError {
    /// It is refused, for this reason; what to do about it.
    pub fn refused(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            help: Some(help.into()),
        }
    }
}

impl fmt::Display for FreezeError {
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

impl From<Problem> for FreezeError {
    fn from(Problem { message, help, .. }: Problem) -> Self {
        Self::Refused { message, help }
    }
}

//! Why no test can be made from a conversation.

use ananke_base::diagnostic::Diagnostic;
use ananke_trace::outcome::Problem;
use ananke_trace::redact::Redactor;

/// Why no test can be made from a conversation.
#[derive(Debug)]
pub enum FreezeError {
    /// Something is wrong with files: what, with what masks their secrets.
    Broken(Vec<Diagnostic>, Redactor),
    /// The conversation cannot be replayed, or the test is not the same.
    Refused {
        /// Why.
        message: String,
        /// What to do.
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

impl From<Problem> for FreezeError {
    fn from(Problem { message, help, .. }: Problem) -> Self {
        Self::Refused { message, help }
    }
}

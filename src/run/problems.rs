//! Problems of a test as a whole, made from the errors of its parts.

use crate::diagnostic::Diagnostic;
use crate::outcome::{ErrorKind, Problem};
use crate::plan::PrepareError;
use crate::recording::RecordingError;
use crate::redact::Redactor;

/// The problem of a test whose recording cannot be replayed or written.
pub(super) fn recording_problem(RecordingError { message, help }: RecordingError) -> Problem {
    Problem { kind: ErrorKind::Recording, message, help }
}

/// The problem of a test that could not be prepared; secrets that the messages may quote are added to `redactor`.
pub(super) fn unprepared_problem(redactor: &Redactor, unprepared: PrepareError) -> Problem {
    let (message, help) = match unprepared {
        PrepareError::Changed => {
            ("the file changed since the run began".to_owned(), Some("run it again".to_owned()))
        }
        PrepareError::Broken(problems, secrets) => {
            redactor.add(&secrets);
            let lines: Vec<String> = problems.iter().map(Diagnostic::to_string).collect();
            let help = problems.into_iter().find(|problem| !problem.help.is_empty());
            (lines.join("\n"), help.map(|problem| problem.help.join("\n")))
        }
    };
    Problem { kind: ErrorKind::Setup, message, help }
}

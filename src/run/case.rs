//! One test of a run, and what all parts of its attempts share.

use super::event::RunEvent;
use super::prefetch::Loading;
use super::shared::Run;
use crate::diagnostic::Diagnostic;
use crate::outcome::{ErrorKind, Problem};
use crate::plan::{CaseEntry, Plan, PrepareError};
use crate::redact::Redactor;

/// One test of a run.
pub(super) struct Case<'a> {
    pub(super) shared: &'a Run,
    pub(super) plan: &'a Plan,
    pub(super) entry: &'a CaseEntry,
    /// Its file.
    pub(super) loading: Loading,
    /// Masks the secrets of the test, and those of its attempts as soon as they are known.
    pub(super) redactor: Redactor,
}

impl Case<'_> {
    /// Sends an event of this test.
    pub(super) async fn tell(&self, event: RunEvent) {
        self.shared.tell(self.redactor.seal(event)).await;
    }

    /// The problem of a test that could not be prepared; secrets that the messages may quote are masked from now on.
    pub(super) fn unprepared(&self, error: PrepareError) -> Problem {
        let (message, help) = match error {
            PrepareError::Changed => {
                ("the file changed since the run began".to_owned(), Some("run it again".to_owned()))
            }
            PrepareError::Broken(problems, secrets) => {
                self.redactor.add(&secrets);
                let lines: Vec<String> = problems.iter().map(Diagnostic::to_string).collect();
                let help = problems.into_iter().find(|problem| !problem.help.is_empty());
                (lines.join("\n"), help.map(|problem| problem.help.join("\n")))
            }
        };
        Problem { kind: ErrorKind::Setup, message, help }
    }
}

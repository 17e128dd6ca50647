//! One attempt at a test: its environment, and its outcome so far.

use super::teardown::Teardown;
use crate::context::{AgentContact, AttemptPurpose, Case, blank};
use crate::follow::RawLog;
use ananke_base::context::CaseKey;
use ananke_recording::AttemptEnvironment;
use ananke_trace::outcome::{ErrorKind, Outcome};
use ananke_trace::trace::Facts;
use std::time::Duration;
use tokio::time::timeout;

/// One attempt at a test: its environment, and its outcome so far.
pub(crate) struct Attempt<'a> {
    pub(crate) case: &'a Case,
    pub(crate) key: &'a CaseKey,
    pub(crate) environment: AttemptEnvironment,
    pub(crate) purpose: AttemptPurpose,
    pub(crate) outcome: Outcome,
    /// The facts that the conversation shows: all, unless it was recorded by another program.
    pub(crate) shown: Facts,
    /// Collects what is sent and received, as it is.
    pub(crate) raw: Option<RawLog>,
    /// The progress with its agent.
    pub(crate) contact: AgentContact,
    /// The result of its teardown.
    pub(crate) teardown: Teardown,
    /// Whether it came to its end, and was not aborted because the run stops.
    pub(crate) has_ended: bool,
}

impl<'a> Attempt<'a> {
    /// An attempt that has not begun.
    pub(crate) fn new(
        case: &'a Case,
        key: &'a CaseKey,
        environment: AttemptEnvironment,
        purpose: AttemptPurpose,
    ) -> Self {
        Self {
            case,
            key,
            environment,
            purpose,
            outcome: blank(&case.shared, &case.entry),
            shown: Facts::ALL,
            raw: None,
            contact: AgentContact::default(),
            teardown: Teardown::default(),
            has_ended: false,
        }
    }
}

impl Attempt<'_> {
    /// Takes over whether the agent answered.
    pub(crate) fn note_contact(&mut self) {
        let (answers, target) = (&self.case.shared.answered, &self.outcome.test.target);
        let problem = self.outcome.first_problem().map(|(_, problem)| problem);
        match self.contact.has_answered(problem) {
            Some(true) => answers.note(target),
            Some(false) => {
                if self.contact.has_fallen_silent() {
                    answers.note_silence(target);
                }
                self.outcome.transcript.is_unanswered = !answers.has_answered(target);
            }
            None => {}
        }
    }
}

/// The time to wait for the end of a server after a connection error: the system closes the connections of a process
/// before it reports its end.
const PATIENCE: Duration = Duration::from_millis(500);

impl Attempt<'_> {
    /// Adds to a connection error that a server has ended, if one has.
    pub(crate) async fn note_server_exit(&mut self) {
        let servers = &self.case.shared.servers;
        // A replay asks no server.
        if servers.is_empty() || !self.environment.is_live() {
            return;
        }
        let problems = self
            .outcome
            .transcript
            .turns
            .iter_mut()
            .filter_map(|turn| turn.end.problem_mut());
        let Some(problem) = problems
            .into_iter()
            .find(|problem| problem.kind == ErrorKind::Protocol)
        else {
            return;
        };
        if let Ok(exit) = timeout(PATIENCE, servers.exit()).await {
            self.case.shared.report_exit(&exit).await;
            problem.help = Some(format!("{exit} while the tests ran"));
        }
    }
}

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
    pub(crate) contact: AgentContact,
    pub(crate) teardown: Teardown,
    /// The attempt came to its end, and was not aborted because the run stops.
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
    /// Notes for all tests of the target that it answers, or in the outcome that it did not.
    pub(crate) fn note_contact(&mut self) {
        let answered = &self.case.shared.answered;
        let target = &self.outcome.test.target;
        let problem = self.outcome.first_problem().map(|(_, problem)| problem);
        match self.contact.has_answered(problem) {
            Some(true) => answered.note(target),
            Some(false) => {
                if self.contact.has_fallen_silent() {
                    answered.note_silence(target);
                }
                // A target that completed an answer to any test is never given up, so that this one does not count.
                self.outcome.transcript.is_unanswered = !answered.has_answered(target);
            }
            // The agent was not asked, or the time was too short to show anything.
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
        let turns = self.outcome.transcript.turns.iter_mut();
        let mut problems = turns.filter_map(|turn| turn.end.problem_mut());
        let Some(problem) = problems.find(|problem| problem.kind == ErrorKind::Protocol) else {
            return;
        };
        // Without a server that ends, this waits for ever.
        if let Ok(exit) = timeout(PATIENCE, servers.exit()).await {
            self.case.shared.report_exit(&exit).await;
            problem.help = Some(format!("{exit} while the tests ran"));
        }
    }
}

//! One attempt at a test: its environment, and its outcome so far.

use super::teardown::Teardown;
use crate::context::{AgentContact, AttemptPurpose, Case, blank};
use crate::follow::RawLog;
use ananke_base::context::CaseKey;
use ananke_recording::AttemptEnvironment;
use ananke_trace::outcome::{ErrorKind, HelperTotals, Outcome};
use ananke_trace::trace::Facts;
use std::sync::Mutex;
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
    /// The tokens of the agents that were asked for it.
    pub(crate) helpers: Mutex<HelperTotals>,
    /// The attempt came to its end, and was not aborted because the run stops.
    pub(crate) has_ended: bool,
}

impl<'a> Attempt<'a> {
    /// An attempt that has not begun: its outcome is blank, and what its conversation will show is not known yet.
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
            // The conversation replaces this if another program recorded it, and its recording lacks some facts.
            shown: Facts::ALL,
            // The caller adds a log of the raw events if reports show them.
            raw: None,
            contact: AgentContact::default(),
            teardown: Teardown::default(),
            helpers: Mutex::default(),
            has_ended: false,
        }
    }
}

impl Attempt<'_> {
    /// Notes if the agent answered: an answer is noted for all tests of its target, a missing answer in this outcome. A target
    /// that leaves its first tests unanswered is given up.
    pub(crate) fn note_contact(&mut self) {
        let answered_targets = &self.case.shared.answered;
        let target = &self.outcome.test.target;
        // The kind of the first problem decides: only a timeout or a connection error can be the silence of the agent.
        let first_problem = self.outcome.first_problem().map(|(_turn, problem)| problem);
        match self.contact.has_answered(first_problem) {
            Some(true) => answered_targets.note(target),
            Some(false) => {
                // The message about a target that is given up has another text if the target began an answer.
                if self.contact.has_fallen_silent() {
                    answered_targets.note_silence(target);
                }
                // The schedule counts the unanswered tests of a target. One that ever completed an answer is never given up,
                // so its tests need not be counted.
                self.outcome.transcript.is_unanswered = !answered_targets.has_answered(target);
            }
            // The agent was not asked, or the time was too short to show anything: neither is noted.
            None => {}
        }
    }
}

/// The time to wait for the end of a server after a connection error: the system closes the connections of a process
/// before it reports its end.
const PATIENCE: Duration = Duration::from_millis(500);

impl Attempt<'_> {
    /// Names the server that has ended, if one has, in the help of the first connection error: the end is its likely cause.
    pub(crate) async fn note_server_exit(&mut self) {
        let servers = &self.case.shared.servers;
        // A replay asks no server, and a run without servers has none that could end.
        if servers.is_empty() || !self.environment.is_live() {
            return;
        }
        let turns = self.outcome.transcript.turns.iter_mut();
        let mut problems = turns.filter_map(|turn| turn.end.problem_mut());
        let Some(problem) = problems.find(|problem| problem.kind == ErrorKind::Protocol) else {
            return;
        };

        // The system closes the connections of a process before it reports its end, so the end may come a moment later. Servers
        // that go on to run never end the wait, so it has a limit.
        if let Ok(exit) = timeout(PATIENCE, servers.exit()).await {
            // The run reports each end once, however many tests notice it, and before the outcome that names it.
            self.case.shared.report_exit(&exit).await;
            problem.help = Some(format!("{exit} while the tests ran"));
        }
    }
}

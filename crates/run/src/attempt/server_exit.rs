//! The end of a server that the tests need: the run reports it once, and a connection error says it.

use std::time::Duration;

use tokio::time::timeout;

use super::attempt::Attempt;
use ananke_trace::outcome::ErrorKind;

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

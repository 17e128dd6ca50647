//! Watches the servers that the tests need: if one ends by itself, the run reports it at once and starts no further test.
//! Running tests finish.

use std::time::Duration;

use tokio::time::timeout;

use super::attempt::Attempt;
use super::run::Run;
use super::stopper::Reason;
use crate::server::ServerExit;
use ananke_trace::outcome::ErrorKind;
use ananke_trace::outcome::RunEvent;

/// The time to wait for the end of a server after a connection error: the system closes the connections of a process
/// before it reports its end.
const PATIENCE: Duration = Duration::from_millis(500);

impl Run {
    /// Watches the servers until it is dropped; never returns.
    pub(super) async fn watch_servers(&self) {
        let exit = self.servers.exit().await;
        self.report_exit(&exit).await;
        std::future::pending::<()>().await;
    }

    /// Reports once that a server has ended; a second caller waits for the report.
    async fn report_exit(&self, exit: &ServerExit) {
        let report = || async {
            self.stopper.wind_down(Reason::ServerEnded);
            let (what, printed) = (exit.to_string(), exit.printed.clone());
            self.tell_all(RunEvent::ServerEnded { what, printed });
        };
        self.exit_reported.get_or_init(report).await;
    }
}

impl Attempt<'_> {
    /// Adds to a connection error that a server has ended, if one has.
    pub(super) async fn note_server_exit(&mut self) {
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

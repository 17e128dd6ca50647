//! Watches the servers that the tests need: if one ends by itself, the run reports it at once and starts no further test.
//! Running tests finish.

use super::run::Run;
use super::stopper::Reason;
use crate::server::ServerExit;
use ananke_trace::outcome::RunEvent;

impl Run {
    /// Watches the servers until it is dropped; never returns.
    pub(crate) async fn watch_servers(&self) {
        let exit = self.servers.exit().await;
        self.report_exit(&exit).await;
        std::future::pending::<()>().await;
    }

    /// Reports once that a server has ended; a second caller waits for the report.
    pub(crate) async fn report_exit(&self, exit: &ServerExit) {
        let report = || async {
            self.stopper.wind_down(Reason::ServerEnded);
            let (what, printed) = (exit.to_string(), exit.printed.clone());
            self.tell_all(RunEvent::ServerEnded { what, printed });
        };
        self.exit_reported.get_or_init(report).await;
    }
}

//! The servers that the tests need, while the tests run: where one ends by itself, the run tells so at once and begins no
//! further test. Those that run go on: what they find is theirs.

use std::time::Duration;

use tokio::time::timeout;

use super::attempt::Attempt;
use super::{Reason, Run, RunEvent};
use crate::outcome::ErrorKind;
use crate::server::ServerExit;

/// How long after a broken connection the end of its server is waited for: the system closes what a process holds
/// before it tells that it is gone.
const PATIENCE: Duration = Duration::from_millis(500);

impl Run {
    /// Watches the servers for as long as it is asked to; never comes back.
    pub(super) async fn watch_servers(&self) {
        let death = self.servers.exit().await;
        self.mourn(&death).await;
        std::future::pending::<()>().await;
    }

    /// Tells once that a server has ended; whoever comes second waits until it is told.
    async fn mourn(&self, death: &ServerExit) {
        let tell = || async {
            self.stopper.wind_down(Reason::ServerEnded);
            let (what, printed) = (death.to_string(), death.printed.clone());
            self.tell_all(RunEvent::ServerEnded { what, printed }).await;
        };
        self.mourned.get_or_init(tell).await;
    }
}

impl Attempt<'_> {
    /// Says beside a broken connection that a server has ended, where one has.
    pub(super) async fn ask_after_servers(&mut self) {
        let shared = self.shared;
        if shared.servers.is_empty() || self.tape.player().is_some() {
            return;
        }
        let problems = self.outcome.turns.iter_mut().filter_map(|turn| turn.end.problem_mut());
        let Some(problem) = problems.into_iter().find(|problem| problem.kind == ErrorKind::Protocol) else {
            return;
        };
        if let Ok(death) = timeout(PATIENCE, shared.servers.exit()).await {
            shared.mourn(&death).await;
            problem.help = Some(format!("{death} while the tests ran"));
        }
    }
}

//! The servers of a run: started in order, and ended in the opposite order.

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::error::{ServerStartError, address_in_use, not_started};
use super::ready::{awaited, wait};
use super::running::{RunningServer, ServerState};
use super::server_address::ServerAddress;
use super::server_exit::{ServerExit, server_name};
use ananke_plan::project::ServerCommand;

/// The servers of a run, all of them ready.
#[derive(Debug, Default)]
pub struct Servers {
    running: Vec<RunningServer>,
    notes: Vec<String>,
}

impl Servers {
    /// Starts the servers in order, each when the one before it is ready, since it may need that one. `waiting` gets a line about
    /// each server before it starts, for the progress of the run. A server with `reuse` is not started if something else already
    /// answers at its place.
    ///
    /// # Errors
    /// If a server cannot be started, ends before it is ready or is not ready in time, if its place is taken, or if `cancel`
    /// comes first. The servers that were started are ended again.
    pub async fn start(
        commands: &[ServerCommand],
        cancel: &CancellationToken,
        waiting: impl Fn(&str),
    ) -> Result<Self, ServerStartError> {
        let mut servers = Self::default();
        for command in commands {
            waiting(&awaited(command));
            if let Err(failed) = servers.add(command, cancel).await {
                servers.stop().await;
                return Err(failed);
            }
        }
        Ok(servers)
    }

    /// Starts one server and waits until it is ready, or reuses the program that already answers at its place.
    async fn add(
        &mut self,
        command: &ServerCommand,
        cancel: &CancellationToken,
    ) -> Result<(), ServerStartError> {
        // First the place is asked, because a program that answers there before the start is not the server, and would be tested
        // instead of it. There is no place if the server prints a line when it is ready, and no answer if the place is free.
        let earlier_answer = async {
            let place = ServerAddress::of(&command.ready)?;
            Some((place.shown(), place.answer().await?))
        };
        let occupant = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ServerStartError::Stopped),
            occupant = earlier_answer => occupant,
        };
        if let Some((place, answer)) = occupant {
            if !command.reuse || !answer.is_ready() {
                return Err(address_in_use(command, &place, answer).into());
            }
            self.notes.push(format!(
                "{} is not started: {place} answers already, and `reuse` says that this is fine",
                server_name(command)
            ));
            return Ok(());
        }

        // The server is added before the wait, so that `stop` also ends a server that never becomes ready.
        let running =
            RunningServer::start(command).map_err(|error| not_started(command, &error))?;
        self.running.push(running);
        let running = self.running.last_mut().expect("it was just put there");
        wait(command, running, cancel).await
    }

    /// Notes about how they were started.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// A watch that notices when one of them ends.
    pub fn watch(&self) -> ServerWatch {
        ServerWatch::new(self.running.iter().map(RunningServer::watch).collect())
    }

    /// Ends every server, the last one first: each is asked to end, and killed with all that it started five seconds
    /// later.
    pub async fn stop(self) {
        for running in self.running.into_iter().rev() {
            running.stop().await;
        }
    }
}

/// Notices when a server of the run ends by itself.
#[derive(Clone, Debug, Default)]
pub struct ServerWatch(Vec<watch::Receiver<ServerState>>);

impl ServerWatch {
    pub(super) fn new(states: Vec<watch::Receiver<ServerState>>) -> Self {
        Self(states)
    }

    /// There is no server to watch.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Waits until a server has ended, and returns the first that has.
    pub async fn exit(&self) -> ServerExit {
        let mut watched = self.0.clone();
        if watched.is_empty() {
            return std::future::pending().await;
        }
        let ends = watched.iter_mut().map(ServerState::exit);
        futures_util::future::select_all(ends.map(Box::pin)).await.0
    }
}

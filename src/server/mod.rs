//! Programs that run while the tests run: started, waited for, watched, and ended with all that they started (SPEC 4).
//!
//! [`Servers::start`] takes filled [`ServerCommand`]s and comes back when the last of them can be talked to, or with a
//! [`Failed`] that says which cannot, and why. Whatever happens, no process of a server is left when its [`Servers`] are
//! stopped or gone.

mod error;
mod output;
mod ready;
mod running;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::project::ServerCommand;

pub use error::{Death, Failed, ServerError};
use ready::{Place, wait};
use running::{Running, State};

/// The servers of a run, all of them ready.
#[derive(Debug, Default)]
pub struct Servers {
    running: Vec<Running>,
    notes: Vec<String>,
}

/// Tells when a server ends that should not.
#[derive(Clone, Debug, Default)]
pub struct Watch(Vec<watch::Receiver<State>>);

impl Servers {
    /// Starts every server in its order, each when the one before it is ready, and tells `waiting` what each is waited
    /// for. One whose place something else answers in is not started where it says `reuse`.
    ///
    /// # Errors
    /// Where one cannot be started, ends before it is ready or never is, where its place is taken, and where `cancel`
    /// comes first. Those that were started are ended again.
    pub async fn start(
        commands: &[ServerCommand],
        cancel: &CancellationToken,
        waiting: impl Fn(&str),
    ) -> Result<Self, Failed> {
        let mut servers = Self::default();
        for command in commands {
            waiting(&ready::awaited(command));
            if let Err(failed) = servers.add(command, cancel).await {
                servers.stop().await;
                return Err(failed);
            }
        }
        Ok(servers)
    }

    async fn add(&mut self, command: &ServerCommand, cancel: &CancellationToken) -> Result<(), Failed> {
        let answers = async {
            match Place::of(&command.ready) {
                Some(place) => Some((place.shown(), place.answer().await?)),
                None => None,
            }
        };
        let occupied = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Failed::Stopped),
            occupied = answers => occupied,
        };
        if let Some((place, answer)) = occupied {
            if !command.reuse || !answer.is_ready() {
                return Err(error::taken(command, &place, answer).into());
            }
            self.notes.push(format!(
                "{} is not started: {place} answers already, and `reuse` says that this is fine",
                error::name(command)
            ));
            return Ok(());
        }
        let running = Running::start(command).map_err(|error| error::not_started(command, &error))?;
        self.running.push(running);
        let running = self.running.last_mut().expect("it was just put there");
        wait(command, running, cancel).await
    }

    /// What is worth knowing of how they were started.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Tells when one of them ends.
    pub fn watch(&self) -> Watch {
        Watch(self.running.iter().map(Running::watch).collect())
    }

    /// Ends every server, the last one first: each is asked to end, and killed with all that it started five seconds
    /// later.
    pub async fn stop(self) {
        for running in self.running.into_iter().rev() {
            running.stop().await;
        }
    }
}

impl Watch {
    /// Whether there is nothing to be told.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first server that has ended, once one has.
    pub async fn death(&self) -> Death {
        let mut watched = self.0.clone();
        let ends = watched.iter_mut().map(|state| Box::pin(State::death(state)));
        match watched_any(ends.collect()).await {
            Some(death) => death,
            None => std::future::pending().await,
        }
    }
}

async fn watched_any<F: Future<Output = Death> + Unpin>(ends: Vec<F>) -> Option<Death> {
    if ends.is_empty() {
        return None;
    }
    Some(futures_util::future::select_all(ends).await.0)
}

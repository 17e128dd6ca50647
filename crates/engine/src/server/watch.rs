//! Notices the end of a server while the tests run.

use tokio::sync::watch;

use super::running::ServerState;
use super::server_exit::ServerExit;

/// Notices when a server of the run ends by itself.
#[derive(Clone, Debug, Default)]
pub struct ServerWatch(Vec<watch::Receiver<ServerState>>);

impl ServerWatch {
    pub(super) fn new(states: Vec<watch::Receiver<ServerState>>) -> Self {
        Self(states)
    }

    /// Whether there is no server to watch.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Waits until a server has ended, and returns the first that has.
    pub async fn exit(&self) -> ServerExit {
        let mut watched = self.0.clone();
        let ends = watched
            .iter_mut()
            .map(|state| Box::pin(ServerState::exit(state)));
        match first_exit(ends.collect()).await {
            Some(exit) => exit,
            None => std::future::pending().await,
        }
    }
}

async fn first_exit<F: Future<Output = ServerExit> + Unpin>(ends: Vec<F>) -> Option<ServerExit> {
    if ends.is_empty() {
        return None;
    }
    Some(futures_util::future::select_all(ends).await.0)
}

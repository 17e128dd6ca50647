//! The turns of tests whose agents the client has: a test has a session of its own, from its first turn to its result.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ananke::agents::Transport;
use ananke::agents::external::{AgentTurn, ExternalTransport, ProgramTurn};
use ananke::agents::http::HttpTransport;
use ananke::context::Clock;

use super::client_turns::{ClientTurns, TurnOwner};
use super::session_client::SessionClient;

/// The turns of the tests of one request.
pub(super) struct TestTurns {
    client: SessionClient,
    turns: ClientTurns,
    /// The sessions of the tests that have begun one and have no result.
    open: Mutex<HashSet<String>>,
}

impl TestTurns {
    /// None so far.
    pub(super) fn new(client: SessionClient, turns: ClientTurns) -> Arc<Self> {
        Arc::new(Self {
            client,
            turns,
            open: Mutex::default(),
        })
    }

    /// The way to the client's own agents, and over the network to all others.
    pub(super) fn transport(self: &Arc<Self>, clock: &Arc<dyn Clock>) -> Arc<dyn Transport> {
        // Targets of other types are asked over the network, since one run may have both.
        let network = Arc::new(HttpTransport::new(Arc::clone(clock)));
        let own = Arc::clone(self);
        let begin = Arc::new(move |turn| own.begin(turn));
        Arc::new(ExternalTransport::new(network, Arc::clone(clock), begin))
    }

    fn begin(&self, turn: AgentTurn) -> Box<dyn ProgramTurn> {
        self.open().insert(turn.thread.clone());
        self.turns.begin(&self.client, TurnOwner::Test, turn)
    }

    /// Ends the session of a test that has its result, and gives the warnings about events that came too late.
    pub(super) fn end(&self, session: &str) -> Vec<String> {
        self.open().remove(session);
        self.turns.close(session)
    }

    /// Ends the sessions of tests that have no result of their own: those of attempts that were repeated, and of tests that were stopped.
    pub(super) fn end_all(&self) {
        // Their late events have no report, because they belong to no result.
        for session in self.open().drain() {
            self.turns.close(&session);
        }
    }

    fn open(&self) -> MutexGuard<'_, HashSet<String>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

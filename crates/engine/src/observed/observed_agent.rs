//! The agent of a conversation that was observed.

use std::collections::VecDeque;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::observed_session::{ObservedSession, ObservedTurn};
use ananke_agents::{Session, SessionOptions, Target, TargetError};
use ananke_trace::trace::Peer;

/// An agent that does again what was observed.
#[derive(Debug)]
pub struct ObservedAgent {
    /// Its name.
    pub agent: String,
    /// The state that its conversation starts with.
    pub state: Value,
    /// The moment at which its conversation began, in milliseconds of Unix time.
    pub started_unix_ms: u64,
    /// The kind of peer, in the words of reports.
    pub peer: Peer,
    /// The turns of the agent.
    pub turns: Vec<ObservedTurn>,
}

impl Target for ObservedAgent {
    fn agent(&self) -> &str {
        &self.agent
    }

    fn state(&self) -> &Value {
        &self.state
    }

    fn peer(&self) -> Peer {
        self.peer
    }

    fn open(&self, _: SessionOptions) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let turns: VecDeque<ObservedTurn> = self.turns.iter().cloned().collect();
        let session: Box<dyn Session> = Box::new(ObservedSession::new(self.started_unix_ms, turns));
        Box::pin(std::future::ready(Ok(session)))
    }
}

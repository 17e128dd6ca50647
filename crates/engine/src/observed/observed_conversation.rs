//! A conversation that something else held, and where such conversations come from.

use std::time::Duration;

use futures_util::future::BoxFuture;

use ananke_agents::TimedChange;
use ananke_base::message::{HistoryMessage, TurnInput};
use ananke_trace::outcome::Problem;
use ananke_trace::trace::Facts;

/// A conversation that something else held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedConversation {
    /// The thread.
    pub thread_id: String,
    /// The agent's name; empty if nothing says it.
    pub agent: String,
    /// The moment at which it began, in milliseconds of Unix time; 0 if it is not known.
    pub started_unix_ms: u64,
    /// The messages before its first turn.
    pub history: Vec<HistoryMessage>,
    /// Its turns, in order.
    pub turns: Vec<ObservedTurn>,
    /// The facts that are known of it.
    pub shown: Facts,
    /// The oddities of the conversation.
    pub warnings: Vec<String>,
}

/// One turn of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedTurn {
    /// The input of the agent.
    pub input: TurnInput,
    /// The time since the beginning of the conversation.
    pub after: Duration,
    /// The changes by the agent: the last one ends its run.
    pub changes: Vec<TimedChange>,
}

/// The source of the conversations of a run: each test of it is one conversation.
pub trait ObservedConversations: Send + Sync {
    /// The conversation that the test `id` is.
    ///
    /// # Errors
    /// If it cannot be read.
    fn conversation<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<ObservedConversation, Problem>>;
}

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
    /// When it began, in milliseconds of Unix time; 0 if nothing says it.
    pub started_unix_ms: u64,
    /// What was said before its first turn.
    pub history: Vec<HistoryMessage>,
    /// Its turns, in order.
    pub turns: Vec<ObservedTurn>,
    /// What of it is known.
    pub shown: Facts,
    /// What is odd about it.
    pub warnings: Vec<String>,
}

/// One turn of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedTurn {
    /// What was said to the agent.
    pub input: TurnInput,
    /// How long after the beginning of the conversation.
    pub after: Duration,
    /// What the agent did: the last change ends its run.
    pub changes: Vec<TimedChange>,
}

/// Where the conversations of a run come from: each test of it is one conversation.
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

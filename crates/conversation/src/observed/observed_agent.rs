//! The agent of a conversation that was observed: a target whose session does again what was done.
//!
//! **Invariant:** its clock is that of the trace; no limit of time ends a turn that is over.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use ananke_agents::{
    Ended, Limits, Request, Session, SessionOptions, Sink, Target, TargetError, TimedChange, Wire,
};
use ananke_base::context::{At, Clock, ManualClock};
use ananke_base::message::{HistoryMessage, TurnInput};
use ananke_trace::outcome::Problem;
use ananke_trace::trace::{Facts, Peer};

/// A session whose turns are known.
struct ObservedSession {
    clock: ManualClock,
    turns: VecDeque<ObservedTurn>,
}

impl ObservedSession {
    fn new(started_unix_ms: u64, turns: VecDeque<ObservedTurn>) -> Self {
        Self {
            clock: ManualClock::new(started_unix_ms),
            turns,
        }
    }

    /// Moves the clock to the moment `after` the beginning of the conversation, unless it is past that; returns its time.
    fn reach(&self, after: Duration) -> At {
        let moment = At::default().plus(after);
        self.clock.advance(moment.since(self.clock.now()));
        self.clock.now()
    }

    /// Reports to `sink` what the agent did in a turn, each change at its moment. `limits` are only looked at for a cancellation.
    fn replay(&self, turn: ObservedTurn, limits: &Limits, sink: &mut dyn Sink) -> Ended {
        // Nothing is sent, but the trace begins an exchange with its request.
        sink.wire(self.reach(turn.after), Wire::Sent { body: &[] });
        for timed in turn.changes {
            // The turn is over already, so no timeout ends it: only a cancellation does, or a rule that failed (a break of the
            // sink).
            if limits.cancel.is_cancelled() {
                return Ended::Cancelled;
            }
            let at = self.reach(turn.after + timed.after);
            if sink.change(at, timed.change).is_break() {
                return Ended::Cancelled;
            }
        }
        Ended::Terminal
    }
}

impl Session for ObservedSession {
    /// Replays the next turn. The request is not looked at, since the answer to it is known.
    fn exchange<'a>(
        &'a mut self,
        _: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>> {
        let ended = match self.turns.pop_front() {
            Some(turn) => self.replay(turn, limits, sink),
            // After the last turn the agent did nothing more.
            None => Ended::Terminal,
        };
        sink.wire(self.clock.now(), Wire::Closed);
        Box::pin(std::future::ready(Ok(ended)))
    }

    fn clock(&self) -> &dyn Clock {
        &self.clock
    }
}

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
    /// The turns, one for each input.
    pub turns: Vec<ObservedTurn>,
    /// The facts that are known of it.
    pub shown: Facts,
    /// The oddities of the conversation.
    pub warnings: Vec<String>,
}

/// One turn of an observed conversation.
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

/// An agent that does again what was observed.
#[derive(Debug)]
pub struct ObservedAgent {
    /// The agent's name.
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
        let turns = self.turns.iter().cloned().collect();
        let session: Box<dyn Session> = Box::new(ObservedSession::new(self.started_unix_ms, turns));
        Box::pin(std::future::ready(Ok(session)))
    }
}

//! One conversation with an agent that does again what was observed.
//!
//! **Invariant:** its clock is that of the trace; no limit of time ends a turn that is over.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::observed_conversation::ObservedTurn;
use ananke_agents::{Ended, Limits, Request, Session, Sink, TargetError, TimedChange, Wire};
use ananke_base::context::{At, Clock, ManualClock};

/// A session whose turns are known.
pub(super) struct ObservedSession {
    clock: ManualClock,
    turns: VecDeque<ObservedTurn>,
}

impl ObservedSession {
    pub(super) fn new(started_unix_ms: u64, turns: VecDeque<ObservedTurn>) -> Self {
        Self {
            clock: ManualClock::new(started_unix_ms),
            turns,
        }
    }

    /// Moves the clock to the moment that is so long after the beginning, unless it has passed.
    fn reach(&self, after: Duration) -> At {
        self.clock
            .advance(At::default().plus(after).since(self.clock.now()));
        self.clock.now()
    }

    fn replay(&self, turn: ObservedTurn, limits: &Limits, sink: &mut dyn Sink) -> Ended {
        let ObservedTurn { after, changes, .. } = turn;
        sink.wire(self.reach(after), Wire::Sent { body: &[] });
        for TimedChange {
            after: since,
            change,
        } in changes
        {
            if limits.cancel.is_cancelled() {
                return Ended::Cancelled;
            }
            if sink.change(self.reach(after + since), change).is_break() {
                return Ended::Cancelled;
            }
        }
        Ended::Terminal
    }
}

impl Session for ObservedSession {
    fn exchange<'a>(
        &'a mut self,
        _: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>> {
        let ended = self
            .turns
            .pop_front()
            .map_or(Ended::Terminal, |turn| self.replay(turn, limits, sink));
        sink.wire(self.clock.now(), Wire::Closed);
        Box::pin(std::future::ready(Ok(ended)))
    }

    fn clock(&self) -> &dyn Clock {
        &self.clock
    }
}

//! Collects what an agent does about one request.

use std::ops::ControlFlow;

use ananke_agents::{Sink, Stop, TimedChange, Wire};
use ananke_base::context::At;
use ananke_trace::trace::Change;

/// The actions of an agent for one request.
#[derive(Default)]
pub(super) struct CollectedRun {
    sent: Option<At>,
    changes: Vec<TimedChange>,
}

impl CollectedRun {
    pub(super) fn into_timed(self) -> Vec<TimedChange> {
        self.changes
    }
}

impl Sink for CollectedRun {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        if matches!(wire, Wire::Sent { .. }) {
            self.sent.get_or_insert(at);
        }
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        let after = at.since(*self.sent.get_or_insert(at));
        self.changes.push(TimedChange {
            after,
            change: change.into_owned(),
        });
        ControlFlow::Continue(())
    }
}

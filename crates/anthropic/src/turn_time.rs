//! The time that the requests of one exchange have taken: a server that pauses is asked again within the same time.

use std::ops::ControlFlow;
use std::time::Duration;

use futures_util::future::BoxFuture;

use ananke_agents::{Limits, Sink, Stop, Wire};
use ananke_base::context::At;
use ananke_base::message::{ServerAnswer, ServerRequest};
use ananke_trace::trace::Change;

/// A sink that passes everything on, and adds up the times between requests and the ends of their responses.
pub(super) struct TurnTime<'s> {
    sink: &'s mut dyn Sink,
    sent: At,
    used: Duration,
}

impl<'s> TurnTime<'s> {
    pub(super) fn new(sink: &'s mut dyn Sink) -> Self {
        Self {
            sink,
            sent: At::default(),
            used: Duration::ZERO,
        }
    }

    /// The limits of the next request: those of the exchange, without the time that is used.
    pub(super) fn left_of(&self, limits: &Limits) -> Limits {
        let mut left = limits.clone();
        left.timeout = left.timeout.saturating_sub(self.used);
        left
    }
}

impl Sink for TurnTime<'_> {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        match wire {
            Wire::Sent { .. } => self.sent = at,
            Wire::Closed => self.used = self.used.saturating_add(at.since(self.sent)),
            _ => {}
        }
        self.sink.wire(at, wire);
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        self.sink.change(at, change)
    }

    fn request(&mut self, request: ServerRequest) -> BoxFuture<'_, ServerAnswer> {
        self.sink.request(request)
    }
}

//! A sink for requests that are no exchange of their own: that for the agent card, and polls of a task.

use std::ops::ControlFlow;

use ananke_agents::{Sink, Stop, Wire};
use ananke_base::context::At;
use ananke_trace::trace::Change;

/// Passes on what is received, but not that something was sent.
pub(super) struct QuietSink<'s> {
    inner: Option<&'s mut dyn Sink>,
}

impl<'s> QuietSink<'s> {
    /// A sink that passes on to `inner`, or to nothing.
    pub(super) fn new(inner: Option<&'s mut dyn Sink>) -> Self {
        Self { inner }
    }
}

impl Sink for QuietSink<'_> {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        if let (Some(inner), Wire::Frame(_)) = (&mut self.inner, wire) {
            inner.wire(at, wire);
        }
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        match &mut self.inner {
            Some(inner) => inner.change(at, change),
            None => ControlFlow::Continue(()),
        }
    }
}

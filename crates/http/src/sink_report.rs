//! The reports of a reader to its sink.

use std::ops::ControlFlow;

use ananke_agents::{Sink, Stop};
use ananke_base::context::At;
use ananke_trace::trace::Change;

/// A report to the sink, until it wants no more.
pub(crate) struct SinkReport<'a> {
    pub(crate) at: At,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) flow: ControlFlow<Stop>,
}

impl SinkReport<'_> {
    /// Reports a change, if more is wanted.
    pub(crate) fn change(&mut self, change: Change<'_>) {
        if self.flow.is_continue() {
            self.flow = self.sink.change(self.at, change);
        }
    }
}

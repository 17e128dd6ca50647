//! The changes of one chunk on their way to the sink.

use std::ops::ControlFlow;

use ananke_agents::{Sink, Stop};
use ananke_base::context::At;
use ananke_base::source::received_json::Oddities;
use ananke_trace::trace::Change;

/// The way of changes to a sink, with the time at which their bytes came.
pub(super) struct ReportedChanges<'s> {
    sink: &'s mut dyn Sink,
    at: At,
    /// `Break` once the sink wants no more.
    pub(super) flow: ControlFlow<Stop>,
}

impl<'s> ReportedChanges<'s> {
    /// Changes that a chunk at this time means.
    pub(super) fn new(sink: &'s mut dyn Sink, at: At) -> Self {
        Self {
            sink,
            at,
            flow: ControlFlow::Continue(()),
        }
    }

    /// Reports a change, unless the sink wants no more.
    pub(super) fn report(&mut self, change: Change<'_>) {
        if self.flow.is_continue() {
            self.flow = self.sink.change(self.at, change);
        }
    }

    /// Warns of half of a surrogate pair (UTF-16) that is alone in a text, and was replaced.
    pub(super) fn warn_of_half(&mut self) {
        self.report(Change::Warning(Oddities::HALF.into()));
    }
}

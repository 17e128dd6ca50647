//! What a turn hears: wire and changes go into the trace, and every touch to the rules at once.

use std::ops::ControlFlow;

use serde_json::Value;

use crate::assertion::Judge;
use crate::context::At;
use crate::target::{Sink, Stop, Wire};
use crate::trace::{Change, Touch, Trace};

/// The sink of a case: its trace, watched by its rules.
pub(super) struct Capture {
    pub(super) trace: Trace,
    pub(super) judge: Judge,
    touched: Vec<Touch>,
}

impl Capture {
    pub(super) fn new(judge: Judge, state: Value) -> Self {
        Self { trace: Trace::new(state), judge, touched: Vec::new() }
    }

    /// The turn is over on the wire: closes what is open, so that rules see complete calls and messages.
    pub(super) fn end_turn(&mut self) {
        self.trace.end_turn(&mut self.touched);
        self.feed();
    }

    fn feed(&mut self) {
        for touch in self.touched.drain(..) {
            self.judge.touched(&self.trace, touch);
        }
    }
}

impl Sink for Capture {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        match wire {
            Wire::Sent { .. } => self.trace.begin_exchange(at),
            Wire::Head { status, .. } => self.trace.head(at, status),
            Wire::Frame(raw) => self.trace.frame(at, raw),
            Wire::Closed => self.trace.end_exchange(at),
        }
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        self.trace.apply(at, change, &mut self.touched);
        self.feed();
        ControlFlow::Continue(())
    }
}

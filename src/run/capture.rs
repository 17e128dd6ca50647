//! What a turn hears: wire and changes go into the trace, and every touch to the rules at once.

use std::ops::ControlFlow;

use crate::assertion::Judge;
use crate::context::At;
use crate::message::ToolAnswer;
use crate::recording::Recorder;
use crate::target::{Sink, Stop, Wire};
use crate::trace::{Change, Delta, Trace};

use super::Options;

/// The sink of a case: its trace, watched by its rules.
pub(super) struct Capture {
    pub(super) trace: Trace,
    pub(super) judge: Judge,
    touched: Vec<Delta>,
    /// Whether the first rule that breaks ends the turn.
    stop_early: bool,
    stopped: bool,
    /// Whether an order of events that the protocol forbids fails a turn.
    pub(super) strict_protocol: bool,
    /// Who listens for the recording, where somebody does.
    recorder: Option<Recorder>,
}

impl Capture {
    pub(super) fn new(judge: Judge, trace: Trace, options: Options, recorder: Option<Recorder>) -> Self {
        let Options { stop_early, strict_protocol, .. } = options;
        Self { trace, judge, touched: Vec::new(), stop_early, stopped: false, strict_protocol, recorder }
    }

    /// The turn is over on the wire: closes what is open, so that rules see complete calls and messages.
    pub(super) fn end_turn(&mut self) {
        self.trace.end_turn(&mut self.touched);
        self.feed();
    }

    /// The client answers calls before the agent goes on. Answers whether the turn ends here, because a rule broke.
    pub(super) fn answer(&mut self, answers: &[ToolAnswer]) -> bool {
        for answer in answers {
            self.trace.answer_as_client(&answer.call, answer.text(), answer.is_error, &mut self.touched);
        }
        self.stopped |= self.feed() && self.stop_early;
        self.stopped
    }

    /// Whether a turn was cut short because a rule broke.
    pub(super) fn was_stopped(&self) -> bool {
        self.stopped
    }

    /// Answers whether a rule broke.
    fn feed(&mut self) -> bool {
        let mut broke = false;
        for touch in self.touched.drain(..) {
            broke |= self.judge.touched(&self.trace, touch);
        }
        broke
    }
}

impl Sink for Capture {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        match wire {
            Wire::Sent { .. } => self.trace.begin_exchange(at),
            Wire::Head { status, .. } => self.trace.head(at, status),
            Wire::Frame(_) => self.trace.event(at),
            Wire::Closed => self.trace.end_exchange(at),
        }
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        if let Some(recorder) = &self.recorder {
            recorder.hear(&change);
        }
        self.trace.apply(at, change, &mut self.touched);
        if self.feed() && self.stop_early {
            self.stopped = true;
            return ControlFlow::Break(Stop);
        }
        ControlFlow::Continue(())
    }
}

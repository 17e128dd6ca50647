//! One thing that happened, with its place in the conversation.

use crate::evaluation::View;
use crate::select::ArgumentReading;
use crate::steps::{StepMatcher, author};
use ananke_trace::trace::{Origin, Trace, TraceItem};

/// A call, one result of a call, a message, or the answer to an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Happening {
    pub(super) item: TraceItem,
    /// Its place among all that happened; 0 for what was there before the first turn.
    pub(super) order: u64,
    /// The turn, counted from 0.
    pub(super) turn: usize,
}

impl Happening {
    /// Something that happened, unless it is something that no step is about.
    pub(super) fn of(trace: &Trace, item: TraceItem) -> Option<Self> {
        let message = item.message(trace);
        let is_silent = match item {
            TraceItem::Message(_) => {
                message.is_some_and(|message| author(message).is_none() || message.text.is_empty())
            }
            // No step is about a call to a model.
            TraceItem::State(_) | TraceItem::ModelCall(_) => true,
            TraceItem::Call(_) | TraceItem::Result { .. } | TraceItem::Answer { .. } => false,
        };
        (!is_silent).then(|| Self {
            item,
            order: item.order(trace),
            turn: item.turn(trace),
        })
    }

    /// The things that happened in a part of the log of `trace`.
    pub(super) fn all<'t>(
        trace: &'t Trace,
        log: &'t [TraceItem],
    ) -> impl DoubleEndedIterator<Item = Self> + 't {
        log.iter().filter_map(|item| Self::of(trace, *item))
    }

    /// The same thing from before the first turn.
    pub(super) fn before_all(self) -> Self {
        Self { order: 0, ..self }
    }

    /// Whether it is part of this conversation: neither history nor replayed, so that it can be a trigger.
    pub(super) fn is_live(&self, trace: &Trace) -> bool {
        self.item.origin(trace).is_some_and(Origin::is_new)
    }

    /// Whether the rule looks at who made it.
    pub(super) fn includes_author(&self, view: &View<'_>, trace: &Trace) -> bool {
        let author = self.item.author(trace);
        author.is_none_or(|author| view.includes_author(author))
    }

    /// Whether it is what `wanted` says, as far as is known now.
    pub(super) fn is(&self, wanted: &StepMatcher, trace: &Trace, reading: ArgumentReading) -> bool {
        wanted.matches(trace, self.item, reading)
    }

    /// From where on a step with these conditions counts: what a condition on the result says of a call counts from its
    /// result on.
    pub(super) fn counts_from(&self, wanted: &StepMatcher, trace: &Trace) -> u64 {
        match self.item.result(trace) {
            Some(result) if wanted.awaits_result() && self.order > 0 => result.order,
            _ => self.order,
        }
    }
}

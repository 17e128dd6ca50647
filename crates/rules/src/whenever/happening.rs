//! One thing that happened, with its place in the conversation.

use crate::evaluation::View;
use crate::select::ArgumentReading;
use crate::steps::{Item, StepMatcher};
use ananke_model::model::{AnswerStatus, MessageRole};
use ananke_trace::trace::{InterruptStatus, MessageKind, Origin, ToolResult, Trace};

/// The thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// A call, a result or a message.
    Item(Item),
    /// An interrupt was answered.
    Answer(AnswerStatus),
}

/// A call, one result of a call, a message, or the answer to an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Happening {
    pub(super) what: What,
    /// The number of the result among those of the call, if it is one.
    nth: usize,
    /// Its place among all that happened; 0 for what was there before the first turn.
    pub(super) order: u32,
    /// The turn, counted from 0.
    pub(super) turn: usize,
}

impl Happening {
    /// The call at `index`.
    pub(super) fn call(trace: &Trace, index: usize) -> Self {
        let call = &trace.calls[index];
        Self {
            what: What::Item(Item::Call(index)),
            nth: 0,
            order: call.order,
            turn: call.counted_in,
        }
    }

    /// The result `nth` of the call at `index`.
    pub(super) fn result(trace: &Trace, index: usize, nth: usize) -> Self {
        let order = trace.calls[index].results[nth].order;
        let turn = trace
            .turns
            .partition_point(|turn| turn.began <= order)
            .saturating_sub(1);
        Self {
            what: What::Item(Item::Result(index)),
            nth,
            order,
            turn,
        }
    }

    /// The message at `index`, unless no step is about such a message.
    pub(super) fn message(trace: &Trace, index: usize) -> Option<Self> {
        let message = &trace.messages[index];
        let by = match message.role {
            MessageKind::Assistant => MessageRole::Assistant,
            MessageKind::User => MessageRole::User,
            MessageKind::System | MessageKind::Reasoning => return None,
        };
        let what = What::Item(Item::Message { index, by });
        (!message.text.is_empty()).then_some(Self {
            what,
            nth: 0,
            order: message.order,
            turn: message.turn,
        })
    }

    /// The answers to interrupts with which a turn began.
    pub(super) fn answers(trace: &Trace, turn: usize) -> impl Iterator<Item = Self> {
        let began = &trace.turns[turn];
        let statuses = began
            .input
            .answered
            .iter()
            .map(|answer| match answer.status {
                InterruptStatus::Resolved => AnswerStatus::Resolved,
                InterruptStatus::Cancelled => AnswerStatus::Cancelled,
            });
        let (order, nth) = (began.began, 0);
        statuses.map(move |status| Self {
            what: What::Answer(status),
            nth,
            order,
            turn,
        })
    }

    /// Everything that happened, by kind.
    pub(super) fn all(trace: &Trace) -> impl Iterator<Item = Self> {
        let calls = (0..trace.calls.len()).map(move |index| Self::call(trace, index));
        let results = trace
            .calls
            .iter()
            .enumerate()
            .flat_map(move |(index, call)| {
                (0..call.results.len()).map(move |nth| Self::result(trace, index, nth))
            });
        let messages =
            (0..trace.messages.len()).filter_map(move |index| Self::message(trace, index));
        let answers = (0..trace.turns.len()).flat_map(move |turn| Self::answers(trace, turn));
        messages.chain(calls).chain(results).chain(answers)
    }

    /// Whether it is a message of the user.
    pub(super) fn is_of_user(&self) -> bool {
        matches!(
            self.what,
            What::Item(Item::Message {
                by: MessageRole::User,
                ..
            })
        )
    }

    /// The same thing from before the first turn.
    pub(super) fn before_all(self) -> Self {
        Self { order: 0, ..self }
    }

    /// Whether it is part of this conversation: neither history nor replayed, so that it can be a trigger.
    pub(super) fn is_live(&self, trace: &Trace) -> bool {
        let origin = match self.what {
            What::Item(Item::Call(index) | Item::Result(index)) => trace.calls[index].origin,
            What::Item(Item::Message { index, .. }) => trace.messages[index].origin,
            What::Answer(_) => return false,
        };
        matches!(origin, Origin::Streamed | Origin::SnapshotOnly)
    }

    /// Whether the rule looks at who made it.
    pub(super) fn includes_author(&self, view: &View<'_>, trace: &Trace) -> bool {
        let is_by_subagent = match self.what {
            What::Item(Item::Call(index) | Item::Result(index)) => {
                trace.calls[index].is_by_subagent()
            }
            What::Item(Item::Message { index, .. }) => trace.messages[index].is_by_subagent(),
            What::Answer(_) => false,
        };
        !(view.exclusions.subagents && is_by_subagent)
    }

    /// The result that conditions look at: of a result itself, of a call its last one.
    fn seen_result<'t>(&self, trace: &'t Trace) -> Option<&'t ToolResult> {
        match self.what {
            What::Item(Item::Result(index)) => trace.calls[index].results.get(self.nth),
            What::Item(Item::Call(index)) => trace.calls[index].result(),
            What::Item(Item::Message { .. }) | What::Answer(_) => None,
        }
    }

    /// Whether it is a result, or a call that has one.
    pub(super) fn has_result(&self, trace: &Trace) -> bool {
        self.seen_result(trace).is_some()
    }

    /// Whether it is what `wanted` says, as far as is known now.
    pub(super) fn is(&self, wanted: &StepMatcher, trace: &Trace, reading: ArgumentReading) -> bool {
        let What::Item(item) = self.what else {
            return false;
        };
        wanted.matches_with(trace, item, self.seen_result(trace), reading)
    }

    /// The call that it is, or that it is a result of.
    pub(super) fn of_call(&self) -> Option<usize> {
        match self.what {
            What::Item(Item::Call(index) | Item::Result(index)) => Some(index),
            What::Item(Item::Message { .. }) | What::Answer(_) => None,
        }
    }

    /// From where on a step with these conditions counts: what a condition on the result says of a call counts from its
    /// result on.
    pub(super) fn counts_from(&self, wanted: &StepMatcher, trace: &Trace) -> u32 {
        match self.seen_result(trace) {
            Some(result) if wanted.awaits_result() && self.order > 0 => result.order,
            _ => self.order,
        }
    }

    /// The number of the event that brought it.
    pub(super) fn event(&self, trace: &Trace) -> Option<u32> {
        match self.what {
            What::Item(Item::Result(index)) => trace.calls[index]
                .results
                .get(self.nth)
                .map(|result| result.event),
            What::Item(item) => Some(item.event(trace)),
            What::Answer(_) => None,
        }
    }
}

//! The order in which everything of a conversation began.
//!
//! What began when is decided here and nowhere else: a message begins with its first text, a call with its start, a result
//! when it arrives, also if its call is known later. What a snapshot of the conversation shows for the first time has its
//! place between what is known already.
//!
//! **Invariant:** the log is sorted by the orders of its items; what happened in a turn is one part of it.

use super::log::{LogPlace, STEP};
use super::{Author, Message, Origin, ToolResult, Trace, TraceItem, TurnRanges};

impl Trace {
    /// The whole log.
    pub fn log(&self) -> &[TraceItem] {
        &self.log.items
    }

    /// The part of the log that a turn has, counted from 0.
    pub fn log_of(&self, turn: usize) -> &[TraceItem] {
        &self.log.items[self.log_start(turn)..self.log_start(turn + 1)]
    }

    /// The part of the log before a turn, counted from 0.
    pub fn log_before(&self, turn: usize) -> &[TraceItem] {
        &self.log.items[..self.log_start(turn)]
    }

    /// The part of the log after an order.
    pub fn log_after(&self, order: u64) -> &[TraceItem] {
        if self.last_order() <= order {
            return &[];
        }
        &self.log.items[self.index_after(order)..]
    }

    /// The order of the last item of the log; 0 if there is none.
    pub fn last_order(&self) -> u64 {
        self.log.items.last().map_or(0, |item| item.order(self))
    }

    /// The messages of a turn in the order in which they began.
    pub fn messages_of(&self, turn: &TurnRanges) -> impl DoubleEndedIterator<Item = &Message> {
        let items = self.log_of(turn.index).iter();
        items.filter_map(|item| item.message(self))
    }

    fn log_start(&self, turn: usize) -> usize {
        match self.turns.get(turn) {
            Some(turn) => self.index_after(turn.began.saturating_sub(1)),
            None => self.log.items.len(),
        }
    }

    /// The index of the first item after an order.
    fn index_after(&self, order: u64) -> usize {
        self.log
            .items
            .partition_point(|item| item.order(self) <= order)
    }

    /// Adds something to the log, and returns its order. If there is no room left before an item, its place is the end.
    pub(super) fn add_to_log(&mut self, item: TraceItem, place: LogPlace) -> u64 {
        let (index, order) = match place {
            LogPlace::End => return self.log.append(item),
            LogPlace::At(order) => (self.index_after(order), order),
            LogPlace::Before(next, further) => {
                let index = self.index_after(next.saturating_sub(1));
                let items_before = &self.log.items[..index];
                let previous = items_before.last().map_or(0, |before| before.order(self));
                let room = (next - previous) / further.saturating_add(2);
                if room == 0 {
                    return self.log.append(item);
                }
                (index, previous + room)
            }
        };
        self.log.items.insert(index, item);
        order
    }

    /// The newest result of a call.
    pub fn last_result(&self, call: usize) -> Option<TraceItem> {
        let results = &self.calls.get(call)?.results;
        let nth = u32::try_from(results.len().checked_sub(1)?).ok()?;
        Some(TraceItem::Result { call, nth })
    }
}

impl TraceItem {
    /// The place in the order in which everything began, counted from 1.
    pub fn order(self, trace: &Trace) -> u64 {
        match self {
            Self::Message(index) => trace.messages[index].order,
            Self::Call(index) => trace.calls[index].order,
            Self::Result { call, nth } => trace.calls[call].results[nth as usize].order,
            Self::Answer { turn, nth } => {
                let answers_before = u64::from(nth).saturating_mul(STEP);
                trace.turns[turn].began.saturating_add(answers_before)
            }
            Self::State(index) => trace.state_changes[index].order,
            Self::ModelCall(index) => trace.model_calls[index].order,
        }
    }

    /// The turn in which it happened, counted from 0.
    pub fn turn(self, trace: &Trace) -> usize {
        match self {
            Self::Message(index) => trace.messages[index].turn,
            Self::Call(index) => trace.calls[index].counted_in,
            Self::Result { .. } => {
                let order = self.order(trace);
                let began = trace.turns.partition_point(|turn| turn.began <= order);
                began.saturating_sub(1)
            }
            Self::Answer { turn, .. } => turn,
            Self::State(index) => trace.state_changes[index].turn,
            Self::ModelCall(index) => trace.model_calls[index].turn,
        }
    }

    /// The number of the event that brought it; `None` for what the test did, and for a call to a model, which is no event.
    pub fn event(self, trace: &Trace) -> Option<u32> {
        match self {
            Self::Message(index) => Some(trace.messages[index].opened),
            Self::Call(index) => Some(trace.calls[index].first_event),
            Self::Result { .. } => self.result(trace).map(|result| result.event),
            Self::Answer { .. } | Self::ModelCall(_) => None,
            Self::State(index) => Some(trace.state_changes[index].event),
        }
    }

    /// The way in which it, or the call that it is a result of, became known; `None` for what the test did, for the state,
    /// and for a call to a model.
    pub fn origin(self, trace: &Trace) -> Option<Origin> {
        match self {
            Self::Message(index) => Some(trace.messages[index].origin),
            Self::Call(call) | Self::Result { call, .. } => Some(trace.calls[call].origin),
            Self::Answer { .. } | Self::State(_) | Self::ModelCall(_) => None,
        }
    }

    /// The author of the message or call; `None` for what the test did, for the state, and for a call to a
    /// model.
    pub fn author(self, trace: &Trace) -> Option<&Author> {
        match self {
            Self::Message(index) => Some(&trace.messages[index].author),
            Self::Call(call) | Self::Result { call, .. } => Some(&trace.calls[call].author),
            Self::Answer { .. } | Self::State(_) | Self::ModelCall(_) => None,
        }
    }

    /// The message that it is.
    pub fn message(self, trace: &Trace) -> Option<&Message> {
        match self {
            Self::Message(index) => trace.messages.get(index),
            Self::Call(_)
            | Self::Result { .. }
            | Self::Answer { .. }
            | Self::State(_)
            | Self::ModelCall(_) => None,
        }
    }

    /// The result that conditions look at: of a result itself, of a call its last one.
    pub fn result(self, trace: &Trace) -> Option<&ToolResult> {
        match self {
            Self::Call(call) => trace.calls[call].result(),
            Self::Result { call, nth } => trace.calls[call].results.get(nth as usize),
            Self::Message(_) | Self::Answer { .. } | Self::State(_) | Self::ModelCall(_) => None,
        }
    }
}

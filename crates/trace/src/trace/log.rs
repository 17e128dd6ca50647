//! The log of a conversation: everything that happened, in the order in which it began.
//!
//! **Invariant:** what has the order `n` is the entry `n - 1` of the log; what happened in a turn is one part of it.

use super::{Author, Message, Origin, ToolResult, Trace, TraceItem};

impl Trace {
    /// The whole log.
    pub fn log(&self) -> &[TraceItem] {
        &self.log
    }

    /// The part of the log that a turn has, counted from 0.
    pub fn log_of(&self, turn: usize) -> &[TraceItem] {
        &self.log[self.log_start(turn)..self.log_start(turn + 1)]
    }

    /// The part of the log before a turn, counted from 0.
    pub fn log_before(&self, turn: usize) -> &[TraceItem] {
        &self.log[..self.log_start(turn)]
    }

    fn log_start(&self, turn: usize) -> usize {
        let began = self.turns.get(turn).map(|turn| turn.began as usize - 1);
        began.unwrap_or(self.log.len()).min(self.log.len())
    }

    /// The newest result of a call.
    pub fn last_result(&self, call: usize) -> Option<TraceItem> {
        let results = &self.calls.get(call)?.results;
        let nth = u32::try_from(results.len().checked_sub(1)?).ok()?;
        Some(TraceItem::Result { call, nth })
    }
}

impl TraceItem {
    /// Its place in the order of all that happened, counted from 1.
    pub fn order(self, trace: &Trace) -> u32 {
        match self {
            Self::Message(index) => trace.messages[index].order,
            Self::Call(index) => trace.calls[index].order,
            Self::Result { call, nth } => trace.calls[call].results[nth as usize].order,
            Self::Answer { turn, nth } => trace.turns[turn].began.saturating_add(nth),
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
        }
    }

    /// The number of the event that brought it; `None` for what the test did.
    pub fn event(self, trace: &Trace) -> Option<u32> {
        match self {
            Self::Message(index) => Some(trace.messages[index].opened),
            Self::Call(index) => Some(trace.calls[index].first_event),
            Self::Result { .. } => self.result(trace).map(|result| result.event),
            Self::Answer { .. } => None,
        }
    }

    /// The way in which it, or the call that it is a result of, became known; `None` for what the test did.
    pub fn origin(self, trace: &Trace) -> Option<Origin> {
        match self {
            Self::Message(index) => Some(trace.messages[index].origin),
            Self::Call(call) | Self::Result { call, .. } => Some(trace.calls[call].origin),
            Self::Answer { .. } => None,
        }
    }

    /// The author of the message or call; `None` for what the test did.
    pub fn author(self, trace: &Trace) -> Option<&Author> {
        match self {
            Self::Message(index) => Some(&trace.messages[index].author),
            Self::Call(call) | Self::Result { call, .. } => Some(&trace.calls[call].author),
            Self::Answer { .. } => None,
        }
    }

    /// The message that it is.
    pub fn message(self, trace: &Trace) -> Option<&Message> {
        match self {
            Self::Message(index) => trace.messages.get(index),
            Self::Call(_) | Self::Result { .. } | Self::Answer { .. } => None,
        }
    }

    /// The result that conditions look at: of a result itself, of a call its last one.
    pub fn result(self, trace: &Trace) -> Option<&ToolResult> {
        match self {
            Self::Call(call) => trace.calls[call].result(),
            Self::Result { call, nth } => trace.calls[call].results.get(nth as usize),
            Self::Message(_) | Self::Answer { .. } => None,
        }
    }
}

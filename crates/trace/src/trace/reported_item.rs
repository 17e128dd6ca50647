//! What a report of a turn lists: its part of the log, and its custom events between that.

use super::{Trace, TraceItem, TurnRanges};

/// One item in a report of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedItem {
    /// A part of the log.
    Logged(TraceItem),
    /// A custom event, by its place among those of the trace.
    Custom(usize),
}

impl Trace {
    /// The log of a turn with its custom events, in the order in which everything began. A custom event has no place in the log:
    /// its place is before the first thing that, with everything after it, began after the event.
    pub fn items_of(&self, turn: &TurnRanges) -> Vec<ReportedItem> {
        let log = self.log_of(turn.index);
        let mut items = Vec::with_capacity(log.len() + turn.custom.len());
        let mut custom = turn.custom.clone().rev().peekable();
        let mut earliest = u32::MAX;
        for item in log.iter().rev() {
            earliest = earliest.min(self.began(*item));
            while let Some(index) = custom.next_if(|index| self.custom[*index].event >= earliest) {
                items.push(ReportedItem::Custom(index));
            }
            items.push(ReportedItem::Logged(*item));
        }
        items.extend(custom.map(ReportedItem::Custom));
        items.reverse();
        items
    }

    /// The number of the event with which something began; of what the test did, that is before all events.
    fn began(&self, item: TraceItem) -> u32 {
        match item {
            TraceItem::Message(index) => self.messages[index].began(),
            // It comes after all events until then, and has no number of its own.
            TraceItem::ModelCall(index) => self.model_calls[index].next_event,
            item => item.event(self).unwrap_or(0),
        }
    }
}

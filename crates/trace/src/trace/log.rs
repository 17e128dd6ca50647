//! The log of a trace: its items, and the orders that are given next.
//!
//! **Invariant:** an order never changes, so that rules can remember it.

use std::collections::HashMap;

use super::TraceItem;

/// The distance between two orders: room for what a snapshot shows later.
pub(super) const STEP: u64 = 1 << 36;

/// The log, and the orders that are given next.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The items, sorted by their orders.
    pub(super) items: Vec<TraceItem>,
    /// The newest order that was given.
    newest: u64,
    /// The orders of results whose calls are not known yet, by the numbers that their decoder gave them.
    arrived: HashMap<u32, u64>,
    /// The orders of the next results of calls, if they arrived before.
    results: HashMap<usize, u64>,
}

/// The place of a new item in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogPlace {
    /// After everything else.
    End,
    /// Directly before the item with this order, with room for so many further ones.
    Before(u64, u64),
    /// At an order that was given before.
    At(u64),
}

impl Log {
    /// The order of the next item at the end.
    pub(super) fn next(&self) -> u64 {
        self.newest.saturating_add(STEP)
    }

    /// Adds an item at the end, and returns its order.
    pub(super) fn append(&mut self, item: TraceItem) -> u64 {
        self.newest = self.next();
        self.items.push(item);
        self.newest
    }

    /// Notes that a result arrived whose call is known later: its place is here.
    pub(super) fn arrive(&mut self, number: u32) {
        self.newest = self.next();
        self.arrived.insert(number, self.newest);
    }

    /// The next result of a call is the one that arrived with this number.
    pub(super) fn take_arrived(&mut self, call: usize, number: u32) {
        if let Some(order) = self.arrived.remove(&number) {
            self.results.insert(call, order);
        }
    }

    /// The place of a result of a call: where it arrived, if that was noted, else `place`.
    pub(super) fn place_of_result(&mut self, call: usize, place: LogPlace) -> LogPlace {
        self.results.remove(&call).map_or(place, LogPlace::At)
    }
}

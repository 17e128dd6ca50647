//! Things that wait until the arguments of every earlier call are known: a call has its place where it starts, and what
//! comes while its arguments are still arriving comes after it.

use std::collections::{BTreeMap, BTreeSet};

/// Things by their place among all that happened, and the calls that they wait for.
#[derive(Debug)]
pub(crate) struct ArgumentQueue<T> {
    waiting: BTreeMap<u32, Vec<T>>,
    /// The places of calls whose arguments are still arriving.
    unfinished: BTreeSet<u32>,
}

impl<T> Default for ArgumentQueue<T> {
    fn default() -> Self {
        Self {
            waiting: BTreeMap::new(),
            unfinished: BTreeSet::new(),
        }
    }
}

impl<T> ArgumentQueue<T> {
    /// The arguments of the call at `order` are still arriving.
    pub(crate) fn begin(&mut self, order: u32) {
        self.unfinished.insert(order);
    }

    /// The arguments of the call at `order` are known; whether something waited for them.
    pub(crate) fn finish(&mut self, order: u32) -> bool {
        self.unfinished.remove(&order)
    }

    /// No further arguments arrive.
    pub(crate) fn finish_all(&mut self) {
        self.unfinished.clear();
    }

    /// Adds something that happened at `order`.
    pub(crate) fn push(&mut self, order: u32, value: T) {
        self.waiting.entry(order).or_default().push(value);
    }

    /// Takes the first things that wait for nothing any more.
    pub(crate) fn pop(&mut self) -> Option<Vec<T>> {
        let first = self.unfinished.first().copied().unwrap_or(u32::MAX);
        let ready = self.waiting.first_entry()?;
        (*ready.key() <= first).then(|| ready.remove())
    }
}

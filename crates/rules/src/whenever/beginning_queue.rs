//! Things that wait until everything that began before them is complete: a call has its place where it starts, a message where
//! its first text is, and what comes while arguments or text are still arriving comes after them.

use std::collections::{BTreeMap, BTreeSet};

/// Things by their place among all that happened, and the calls and messages that they wait for.
#[derive(Debug)]
pub(super) struct BeginningQueue<T> {
    waiting: BTreeMap<u64, Vec<T>>,
    /// The places of calls whose arguments, and of messages whose text, are still arriving.
    unfinished: BTreeSet<u64>,
}

impl<T> Default for BeginningQueue<T> {
    fn default() -> Self {
        Self {
            waiting: BTreeMap::new(),
            unfinished: BTreeSet::new(),
        }
    }
}

impl<T> BeginningQueue<T> {
    /// What began at `order` is still arriving.
    pub(super) fn begin(&mut self, order: u64) {
        self.unfinished.insert(order);
    }

    /// What began at `order` is complete; whether something waited for it.
    pub(super) fn finish(&mut self, order: u64) -> bool {
        self.unfinished.remove(&order)
    }

    /// Everything is complete.
    pub(super) fn finish_all(&mut self) {
        self.unfinished.clear();
    }

    /// Adds something that happened at `order`.
    pub(super) fn push(&mut self, order: u64, value: T) {
        self.waiting.entry(order).or_default().push(value);
    }

    /// Takes the first things that wait for nothing any more.
    pub(super) fn pop(&mut self) -> Option<Vec<T>> {
        let first = self.unfinished.first().copied().unwrap_or(u64::MAX);
        let ready = self.waiting.first_entry()?;
        (*ready.key() <= first).then(|| ready.remove())
    }
}

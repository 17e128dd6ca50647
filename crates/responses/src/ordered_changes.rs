//! Changes in the order in which the items of a response begin, although a server may name a tool only at the end of its item.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use ananke_agents::{Sink, Stop};
use ananke_base::context::At;
use ananke_base::source::received_json::Oddities;
use ananke_trace::trace::Change;

/// The changes that wait for a call that began before them.
#[derive(Debug, Default)]
pub(super) struct WaitingChanges {
    queue: VecDeque<WaitingItem>,
    /// The beginnings of calls that are known now, by the number of the item; `None` if the item is no call after all.
    begun: HashMap<usize, Option<(At, Change<'static>)>>,
}

/// A change or a place in the queue.
#[derive(Debug)]
enum WaitingItem {
    Change(At, Change<'static>),
    /// The place of the call with this number, whose tool is not known yet.
    Place(usize),
}

/// The way of the changes of one event to a sink.
pub(super) struct OrderedChanges<'s> {
    sink: &'s mut dyn Sink,
    at: At,
    waiting: &'s mut WaitingChanges,
    /// `Break` once the sink wants no more.
    pub(super) flow: ControlFlow<Stop>,
}

impl<'s> OrderedChanges<'s> {
    /// Changes that an event at this time means.
    pub(super) fn new(sink: &'s mut dyn Sink, at: At, waiting: &'s mut WaitingChanges) -> Self {
        Self {
            sink,
            at,
            waiting,
            flow: ControlFlow::Continue(()),
        }
    }

    /// Reports a change, after those that began before it.
    pub(super) fn report(&mut self, change: Change<'_>) {
        if self.waiting.queue.is_empty() {
            self.send(self.at, change);
        } else {
            let change = WaitingItem::Change(self.at, change.into_owned());
            self.waiting.queue.push_back(change);
        }
    }

    /// Warns of half of a surrogate pair (UTF-16) that is alone in a text, and was replaced.
    pub(super) fn warn_of_half(&mut self) {
        self.report(Change::Warning(Oddities::HALF.into()));
    }

    /// Keeps the place of a call whose tool is not known yet: what follows waits for it.
    pub(super) fn keep_place(&mut self, number: usize) {
        self.waiting.queue.push_back(WaitingItem::Place(number));
    }

    /// Reports the change that begins the call with a kept place; `None` if the item is no call after all.
    pub(super) fn fill_place(&mut self, number: usize, change: Option<Change<'_>>) {
        let begun = change.map(|change| (self.at, change.into_owned()));
        self.waiting.begun.insert(number, begun);
        self.send_waiting();
    }

    /// Reports everything that still waits, since the response is over.
    pub(super) fn finish(&mut self) {
        while let Some(waiting) = self.waiting.queue.pop_front() {
            if let WaitingItem::Change(at, change) = waiting {
                self.send(at, change);
            }
        }
    }

    /// Reports what waits, up to the next place that is still empty.
    fn send_waiting(&mut self) {
        while let Some(waiting) = self.waiting.queue.pop_front() {
            match waiting {
                WaitingItem::Change(at, change) => self.send(at, change),
                WaitingItem::Place(number) => match self.waiting.begun.remove(&number) {
                    Some(Some((at, change))) => self.send(at, change),
                    Some(None) => {}
                    None => {
                        self.waiting.queue.push_front(WaitingItem::Place(number));
                        return;
                    }
                },
            }
        }
    }

    fn send(&mut self, at: At, change: Change<'_>) {
        if self.flow.is_continue() {
            self.flow = self.sink.change(at, change);
        }
    }
}

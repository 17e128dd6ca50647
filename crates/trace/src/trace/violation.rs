//! Violations of the event order that a protocol defines.

use std::fmt;

/// One event that the protocol does not allow at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of the rule.
    pub rule: &'static str,
    /// The violation, naming the events.
    pub message: String,
    /// The exchange, by its place in [`Trace::exchanges`](super::Trace::exchanges).
    pub exchange: usize,
    /// The numbers of the events in the exchange, counted from 1: the one that violates the rule, and the one it
    /// conflicts with, if any.
    pub events: Vec<u32>,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.rule, self.message)
    }
}

/// The violations of one turn: the first are kept, the rest is counted.
#[derive(Clone, Debug, Default)]
pub struct Violations {
    kept: Vec<Violation>,
    more: usize,
}

impl Violations {
    /// The most violations of a turn that are kept; the rest is counted.
    pub const KEPT: usize = 20;

    pub(super) fn add(&mut self, violation: Violation) {
        if self.kept.len() < Self::KEPT {
            self.kept.push(violation);
        } else {
            self.more += 1;
        }
    }

    /// The first ones, in the order they were found.
    pub fn kept(&self) -> &[Violation] {
        &self.kept
    }

    /// The number of further violations.
    pub fn more(&self) -> usize {
        self.more
    }
}

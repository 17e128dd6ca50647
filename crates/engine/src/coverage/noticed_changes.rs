//! Changes to one conversation that its rules notice.

use std::collections::{BTreeMap, BTreeSet};

use super::coverage_state::CoverageState;

/// Changes to one conversation that its rules notice: of its calls, by their first events, and of its interrupts, by turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoticedChanges {
    calls: BTreeMap<u32, BTreeSet<CallPart>>,
    interrupts: BTreeSet<usize>,
}

/// The part of a call that is changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallPart {
    /// The end of the call: its result, or that it is made at all.
    Ending,
    /// The order of the call among others, or that it is made at all.
    Order,
    /// An argument, by its name.
    Argument(String),
}

impl NoticedChanges {
    /// A change of this part of the call that begins with this event is noticed.
    pub fn call(&mut self, first_event: u32, part: CallPart) {
        self.calls.entry(first_event).or_default().insert(part);
    }

    /// It is noticed if the interrupts of the turn, counted from 0, do not come.
    pub fn interrupt(&mut self, turn: usize) {
        self.interrupts.insert(turn);
    }

    /// The extent to which the test covers this part of a call that happens in it.
    pub(super) fn of_call(&self, first_event: u32, part: &CallPart) -> CoverageState {
        let is_noticed = self
            .calls
            .get(&first_event)
            .is_some_and(|parts| parts.contains(part));
        if is_noticed {
            CoverageState::Asserted
        } else {
            CoverageState::Exercised
        }
    }

    /// The extent to which the test covers the answer to an interrupt of this turn.
    pub(super) fn of_interrupt(&self, turn: usize) -> CoverageState {
        if self.interrupts.contains(&turn) {
            CoverageState::Asserted
        } else {
            CoverageState::Exercised
        }
    }
}

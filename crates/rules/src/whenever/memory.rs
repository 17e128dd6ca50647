//! The matches of a step so far, so that a trigger asks once, however much there was.

use std::collections::{BTreeSet, HashMap};

use super::happening::Happening;
use super::key::Key;

/// The key of matches: the turn, if only that of the trigger counts, and the values that step and trigger have in common.
pub(super) type MemoryKey = (Option<usize>, Key);

/// The matches of one step.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// From where on each match counts.
    matches: HashMap<MemoryKey, BTreeSet<u64>>,
    /// The matches that a later result may change, by their place among all that happened.
    provisional: HashMap<u64, (MemoryKey, u64)>,
}

impl Memory {
    /// Takes a match that counts from `position` on.
    pub(super) fn add(&mut self, place: MemoryKey, position: u64) {
        self.matches.entry(place).or_default().insert(position);
    }

    /// Takes something at `order` that a later result may change: a match that counts from somewhere on, or none (any more).
    pub(super) fn update(&mut self, order: u64, matched: Option<(MemoryKey, u64)>) {
        if let Some((place, position)) = self.provisional.remove(&order)
            && let Some(positions) = self.matches.get_mut(&place)
        {
            positions.remove(&position);
        }
        if let Some((place, position)) = matched {
            self.add(place.clone(), position);
            self.provisional.insert(order, (place, position));
        }
    }

    /// Whether there is a match before a place among all that happened.
    pub(super) fn is_before(&self, place: &MemoryKey, order: u64) -> bool {
        self.matches
            .get(place)
            .is_some_and(|positions| positions.first().is_some_and(|first| *first < order))
    }

    /// Whether there is a match after a place among all that happened.
    pub(super) fn is_after(&self, place: &MemoryKey, order: u64) -> bool {
        self.matches
            .get(place)
            .is_some_and(|positions| positions.last().is_some_and(|last| *last > order))
    }
}

/// The triggers that a step must not follow, or must not precede.
#[derive(Debug, Default)]
pub(super) struct OpenTriggers {
    /// The triggers of each place, in their order.
    by_place: HashMap<MemoryKey, Vec<Happening>>,
    /// The order of the newest trigger.
    newest: u64,
}

impl OpenTriggers {
    /// Takes a trigger.
    pub(super) fn add(&mut self, place: MemoryKey, trigger: Happening) {
        self.newest = self.newest.max(trigger.order);
        let open = self.by_place.entry(place).or_default();
        // Triggers come nearly in their order: the new one is usually the last.
        let index = open.partition_point(|other| other.order <= trigger.order);
        open.insert(index, trigger);
    }

    /// Takes out the triggers before `order`.
    pub(super) fn take_before(&mut self, place: &MemoryKey, order: u64) -> Vec<Happening> {
        let Some(open) = self.by_place.get_mut(place) else {
            return Vec::new();
        };
        let after = open.split_off(open.partition_point(|trigger| trigger.order < order));
        let before = std::mem::replace(open, after);
        if open.is_empty() {
            self.by_place.remove(place);
        }
        before
    }

    /// Whether a trigger after `order` may be among them.
    pub(super) fn may_have_after(&self, order: u64) -> bool {
        self.newest > order
    }

    /// Takes out the triggers after `order`.
    pub(super) fn take_after(&mut self, place: &MemoryKey, order: u64) -> Vec<Happening> {
        let Some(open) = self.by_place.get_mut(place) else {
            return Vec::new();
        };
        open.split_off(open.partition_point(|trigger| trigger.order <= order))
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.by_place.is_empty()
    }

    /// Every trigger with its place.
    pub(super) fn all(&self) -> impl Iterator<Item = (&MemoryKey, &Happening)> {
        self.by_place
            .iter()
            .flat_map(|(place, open)| open.iter().map(move |trigger| (place, trigger)))
    }
}

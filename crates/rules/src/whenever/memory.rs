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
    matches: HashMap<MemoryKey, BTreeSet<u32>>,
    /// The matches that a later result may change, by their place among all that happened.
    provisional: HashMap<u32, (MemoryKey, u32)>,
}

impl Memory {
    /// Takes a match that counts from `position` on.
    pub(super) fn add(&mut self, place: MemoryKey, position: u32) {
        self.matches.entry(place).or_default().insert(position);
    }

    /// Takes something at `order` that a later result may change: a match that counts from somewhere on, or none (any more).
    pub(super) fn update(&mut self, order: u32, matched: Option<(MemoryKey, u32)>) {
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
    pub(super) fn is_before(&self, place: &MemoryKey, order: u32) -> bool {
        self.matches
            .get(place)
            .is_some_and(|positions| positions.first().is_some_and(|first| *first < order))
    }

    /// Whether there is a match after a place among all that happened.
    pub(super) fn is_after(&self, place: &MemoryKey, order: u32) -> bool {
        self.matches
            .get(place)
            .is_some_and(|positions| positions.last().is_some_and(|last| *last > order))
    }
}

/// The triggers that a step must not follow.
#[derive(Debug, Default)]
pub(super) struct OpenTriggers(HashMap<MemoryKey, Vec<Happening>>);

impl OpenTriggers {
    /// Takes a trigger.
    pub(super) fn add(&mut self, place: MemoryKey, trigger: Happening) {
        self.0.entry(place).or_default().push(trigger);
    }

    /// Takes out the triggers before `order`.
    pub(super) fn take_before(&mut self, place: &MemoryKey, order: u32) -> Vec<Happening> {
        let Some(open) = self.0.remove(place) else {
            return Vec::new();
        };
        // Triggers come nearly in their order: all of them are usually before.
        let (before, after): (_, Vec<_>) =
            open.into_iter().partition(|trigger| trigger.order < order);
        if !after.is_empty() {
            self.0.insert(place.clone(), after);
        }
        before
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every trigger with its place.
    pub(super) fn all(&self) -> impl Iterator<Item = (&MemoryKey, &Happening)> {
        self.0
            .iter()
            .flat_map(|(place, open)| open.iter().map(move |trigger| (place, trigger)))
    }
}

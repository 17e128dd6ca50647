//! The numbers of the tests that fail a run, in the order in which they are printed, for the console and the kept run; tests that fail for one reason know the
//! first of them.
//!
//! **Invariant:** memory grows with the failures alone, by a few bytes and an id each.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use ananke_trace::outcome::Outcome;

/// A failure that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumberedFailure {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// The number of the first failure with the same reason, if that is another one.
    pub(crate) as_before: Option<usize>,
}

/// The numbers that are given.
#[derive(Debug, Default)]
pub(crate) struct FailureNumbers {
    count: usize,
    /// The numbers of the tests that the order of the plan has not come to, by their ids.
    waiting: HashMap<String, usize>,
    /// The first failure of each reason, by its hash.
    reasons: HashMap<u64, usize>,
    hasher: RandomState,
}

impl FailureNumbers {
    /// Numbers a test that fails.
    pub(crate) fn add(&mut self, outcome: &Outcome) -> NumberedFailure {
        self.count += 1;
        let number = self.count;
        self.waiting.insert(outcome.test.id.clone(), number);
        let help = outcome.first_problem().map(|(_, problem)| &problem.help);
        let reason = self.hasher.hash_one((outcome.reasons(), help));
        let first = *self.reasons.entry(reason).or_insert(number);
        NumberedFailure {
            number,
            as_before: Some(first).filter(|first| *first != number),
        }
    }

    /// The number of a test that the order of the plan comes to, if it fails; and how it is printed, unless that happened before.
    pub(crate) fn finish(&mut self, outcome: &Outcome) -> (Option<usize>, Option<NumberedFailure>) {
        let before = self.waiting.remove(&outcome.test.id);
        if before.is_some() || !outcome.fails_the_run() {
            return (before, None);
        }
        let numbered = self.add(outcome);
        (self.waiting.remove(&outcome.test.id), Some(numbered))
    }
}

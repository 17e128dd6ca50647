//! The numbers of the tests that fail a run, in the order of the plan: the same in two runs, for the list at the end and the kept
//! run. While tests run, a failure has its test alone; those that fail as one before know the first.
//!
//! **Invariant:** memory grows with the failures alone, by a few bytes and an id each.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use crate::report::words::title;
use ananke_base::text::truncate;
use ananke_trace::outcome::Outcome;

/// The most characters of the name of a first failure.
const LONGEST: usize = 40;

/// The failures so far.
#[derive(Debug, Default)]
pub(crate) struct FailureNumbers {
    count: usize,
    /// The tests that the order of the plan has not come to, by their ids.
    printed: HashSet<String>,
    /// The name of the first test of each reason, by the hash of the reason.
    firsts: HashMap<u64, String>,
    hasher: RandomState,
}

impl FailureNumbers {
    /// Takes a test that fails and is printed now. If another one failed for the same reasons before it, the name of that.
    pub(crate) fn print(&mut self, outcome: &Outcome) -> Option<String> {
        self.printed.insert(outcome.test.id.clone());
        let help = outcome.first_problem().map(|(_, problem)| &problem.help);
        let reason = self.hasher.hash_one((outcome.reasons(), help));
        let own = || truncate::chars(&title(outcome), LONGEST).into_owned();
        let known = self.firsts.get(&reason).cloned();
        if known.is_none() {
            self.firsts.insert(reason, own());
        }
        known
    }

    /// The number of a test that the order of the plan comes to, if it fails.
    pub(crate) fn number(&mut self, outcome: &Outcome) -> Option<usize> {
        outcome.fails_the_run().then(|| {
            self.count += 1;
            self.count
        })
    }

    /// Whether a test was printed before; asked once of each.
    pub(crate) fn was_printed(&mut self, outcome: &Outcome) -> bool {
        self.printed.remove(&outcome.test.id)
    }
}

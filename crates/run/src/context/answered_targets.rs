//! Whether the agents answer: how many tests each target left without an answer, until one got one.
//!
//! **Invariant:** a target that answered once is never given up.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use ananke_base::context::lock;

/// The fewest tests without an answer that show that a target does not answer.
const FEWEST: usize = 3;

/// The results of the first tests of each target, by its name.
#[derive(Debug, Default)]
pub(crate) struct AnsweredTargets(Mutex<HashMap<String, TargetAnswers>>);

#[derive(Debug, Default)]
struct TargetAnswers {
    has_answered: bool,
    /// The number of tests that got no answer.
    unanswered: usize,
    is_given_up: bool,
}

impl AnsweredTargets {
    fn targets(&self) -> MutexGuard<'_, HashMap<String, TargetAnswers>> {
        lock(&self.0)
    }

    /// Notes that a target answers.
    pub(crate) fn note(&self, target: &str) {
        self.targets()
            .entry(target.to_owned())
            .or_default()
            .has_answered = true;
    }

    /// Whether a target answered a test.
    pub(crate) fn has_answered(&self, target: &str) -> bool {
        self.targets()
            .get(target)
            .is_some_and(|known| known.has_answered)
    }

    /// Counts a test that got no answer. If the first tests of the target, as many as run at once, all got none, it is given
    /// up now: so many they are.
    pub(super) fn add_unanswered(&self, target: &str, at_once: usize) -> Option<usize> {
        let mut targets = self.targets();
        let known = targets.entry(target.to_owned()).or_default();
        known.unanswered += 1;
        let is_enough = known.unanswered >= at_once.max(FEWEST);
        if known.has_answered || known.is_given_up || !is_enough {
            return None;
        }
        known.is_given_up = true;
        Some(known.unanswered)
    }

    /// Whether no further test is sent to a target.
    pub(super) fn is_given_up(&self, target: &str) -> bool {
        self.targets()
            .get(target)
            .is_some_and(|known| known.is_given_up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_given_up_once_when_its_first_tests_got_no_answer() {
        for (at_once, enough) in [(1, 3), (2, 3), (5, 5)] {
            let answers = AnsweredTargets::default();
            for count in 1..enough {
                assert_eq!(answers.add_unanswered("a", at_once), None, "{count}");
                assert!(!answers.is_given_up("a"));
            }
            assert_eq!(answers.add_unanswered("b", at_once), None);
            assert_eq!(answers.add_unanswered("a", at_once), Some(enough));
            assert!(answers.is_given_up("a") && !answers.is_given_up("b"));
            assert_eq!(answers.add_unanswered("a", at_once), None);
        }
    }

    #[test]
    fn a_target_that_answered_once_is_never_given_up() {
        let answers = AnsweredTargets::default();
        answers.add_unanswered("a", 1);
        answers.note("a");
        for _ in 0..10 {
            assert_eq!(answers.add_unanswered("a", 1), None);
        }
        assert!(!answers.is_given_up("a"));
    }
}

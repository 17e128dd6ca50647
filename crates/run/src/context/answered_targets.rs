//! Whether the agents answer: how many tests each target left without a complete answer, until one got one.
//!
//! **Invariant:** a target that completed an answer once is never given up.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use ananke_base::context::lock;

/// The fewest tests without an answer that show that a target does not answer.
const FEWEST_UNANSWERED: usize = 3;

/// The results of the first tests of each target, by its name.
#[derive(Debug, Default)]
pub(crate) struct AnsweredTargets(Mutex<HashMap<String, TargetAnswers>>);

#[derive(Debug, Default)]
struct TargetAnswers {
    has_answered: bool,
    /// Whether the target began an answer, and was silent then.
    begins: bool,
    /// The number of tests that got no complete answer.
    unanswered: usize,
    is_given_up: bool,
}

/// The tests for which a target is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GivenUp {
    /// The number of these tests.
    pub(super) tests: usize,
    /// Whether the target began an answer to one of them.
    pub(super) begins: bool,
}

impl AnsweredTargets {
    fn targets(&self) -> MutexGuard<'_, HashMap<String, TargetAnswers>> {
        lock(&self.0)
    }

    /// Notes that a target answers.
    pub(crate) fn note(&self, target: &str) {
        let mut targets = self.targets();
        targets.entry(target.to_owned()).or_default().has_answered = true;
    }

    /// Notes that a target began an answer, and was silent then.
    pub(crate) fn note_silence(&self, target: &str) {
        let mut targets = self.targets();
        targets.entry(target.to_owned()).or_default().begins = true;
    }

    /// Whether a target answered a test.
    pub(crate) fn has_answered(&self, target: &str) -> bool {
        match self.targets().get(target) {
            Some(known) => known.has_answered,
            None => false,
        }
    }

    /// Counts a test of `target` that got no complete answer, in a run of `at_once` tests at a time. If the target is given up
    /// because of this one, returns for how many tests.
    pub(super) fn add_unanswered(&self, target: &str, at_once: usize) -> Option<GivenUp> {
        let mut targets = self.targets();
        let known = targets.entry(target.to_owned()).or_default();
        known.unanswered += 1;
        // Tests that run at once may all meet the same short outage, so as many must have got no answer. If few run at once,
        // their number shows too little, so there is a least number.
        let is_enough = known.unanswered >= at_once.max(FEWEST_UNANSWERED);
        // A target is given up once, and never after it completed an answer.
        if known.has_answered || known.is_given_up || !is_enough {
            return None;
        }
        known.is_given_up = true;
        // The target `begins` if it began an answer to one of the tests, and was silent then.
        Some(GivenUp {
            tests: known.unanswered,
            begins: known.begins,
        })
    }

    /// Whether no further test is sent to a target.
    pub(super) fn is_given_up(&self, target: &str) -> bool {
        match self.targets().get(target) {
            Some(known) => known.is_given_up,
            None => false,
        }
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
            let given_up = GivenUp {
                tests: enough,
                begins: false,
            };
            assert_eq!(answers.add_unanswered("a", at_once), Some(given_up));
            assert!(answers.is_given_up("a") && !answers.is_given_up("b"));
            assert_eq!(answers.add_unanswered("a", at_once), None);
        }
    }

    #[test]
    fn a_target_that_begins_an_answer_is_given_up_as_such() {
        let answers = AnsweredTargets::default();
        answers.add_unanswered("a", 1);
        answers.note_silence("a");
        answers.add_unanswered("a", 1);
        let given_up = answers.add_unanswered("a", 1);
        assert!(given_up.is_some_and(|given_up| given_up.begins));
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

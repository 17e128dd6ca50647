//! The kinds of tests that the page counts and filters by. Each test has one.

use ananke_trace::outcome::Outcome;

/// All kinds, in the order in which people look at them.
pub(super) const KINDS: [&str; 9] = [
    "failed",
    "error",
    "timeout",
    "undecided",
    "not_shown",
    "quarantined",
    "flaky",
    "passed",
    "skipped",
];

/// The kind of a test: its status; of one in quarantine that did not pass, and of one that passed on a retry, a kind of its own.
pub(super) fn kind(outcome: &Outcome) -> &'static str {
    match &outcome.test.quarantine {
        Some(_) if outcome.status().fails_the_run() => "quarantined",
        None if outcome.is_flaky() => "flaky",
        _ => outcome.status().as_str(),
    }
}

/// The numbers of tests of each kind.
#[derive(Debug, Default)]
pub(super) struct KindCounts([usize; KINDS.len()]);

impl KindCounts {
    /// Counts one more test.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        let kind = kind(outcome);
        for (count, _) in self.0.iter_mut().zip(KINDS).filter(|(_, own)| *own == kind) {
            *count += 1;
        }
    }

    /// The kinds of which there are tests, each with its count.
    pub(super) fn present(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let counts = self.0.iter().copied().zip(KINDS);
        counts.filter(|(count, _)| *count > 0)
    }
}

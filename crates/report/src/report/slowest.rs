//! The slowest tests of a run.

use ananke_trace::outcome::{Outcome, Status};

/// As many of the slowest tests as are wanted, the slowest first; of the same time the earlier first.
#[derive(Debug, Default)]
pub(in crate::report) struct Slowest {
    most: usize,
    tests: Vec<(u64, String)>,
}

impl Slowest {
    pub(in crate::report) fn new(most: usize) -> Self {
        Self {
            most,
            tests: Vec::new(),
        }
    }

    /// Adds a test that ran, as `shown` writes it.
    pub(in crate::report) fn add(&mut self, outcome: &Outcome, shown: impl FnOnce() -> String) {
        let Some(us) = outcome.transcript.duration() else {
            return;
        };
        let place = self.tests.partition_point(|(slower, _)| *slower >= us);
        if place < self.most && outcome.status() != Status::Skipped {
            self.tests.insert(place, (us, shown()));
            self.tests.truncate(self.most);
        }
    }

    /// The agent's time of each, in microseconds, and the test.
    pub(in crate::report) fn tests(&self) -> &[(u64, String)] {
        &self.tests
    }
}

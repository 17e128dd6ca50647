//! The number of tests of a run per status.
//!
//! **Why:** Totals are added while outcomes pass by, since no report may keep them. A number that is a part of another
//! one says so in its doc, or sums would be wrong.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CountedStatus, ErrorKind, Outcome, SkipCause, Status, StatusChange};

/// The number of tests with each status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// With an error.
    pub error: usize,
    /// Timed out.
    pub timeout: usize,
    /// Skipped.
    pub skipped: usize,
    /// Skipped since input that their agents waited for is missing: counted in `skipped` too.
    pub without_input: usize,
    /// Neither passed nor failed after all runs that they may have.
    pub undecided: usize,
    /// No rule failed, and their traces do not contain the facts of some.
    pub not_shown: usize,
    /// Did not pass but are in quarantine: not counted above.
    pub quarantined: usize,
    /// Passed on a retry and are not in quarantine: counted in `passed` too.
    pub flaky: usize,
    /// Ran twice, since the suite is compared with itself: counted above too.
    pub compared: usize,
    /// Ran twice and passed only once: counted in `compared` too.
    pub flipped: usize,
    /// The tests that judges decided, or did not: counted above too.
    pub judged: JudgedTotals,
    /// The tests that changed against an earlier run, and those that still fail: counted above too.
    pub changes: ChangeTotals,
    /// The warnings of the tests that `--deny-warnings` makes failures.
    pub denied_warnings: usize,
    /// The sum of the tests' durations, in microseconds.
    pub duration_us: u64,
}

/// The number of tests whose rules ask judges. They are counted by their status too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "JudgedCounts")]
pub struct JudgedTotals {
    /// Judged tests that passed.
    pub passed: usize,
    /// Judged tests that failed.
    pub failed: usize,
    /// Tests in which a judge gave no verdict.
    pub error: usize,
    /// Tests whose judges were not asked, because of `--no-judge`.
    pub not_asked: usize,
}

impl JudgedTotals {
    /// Counts one more test, if its rules ask a judge. Each such test counts once.
    fn add(&mut self, outcome: &Outcome) {
        // An error of the judge comes first, because the status of the test follows from it.
        if let Some((_, problem)) = outcome.first_problem()
            && problem.kind == ErrorKind::Judge
        {
            self.error += 1;
        } else if outcome.verdict.judges_not_asked > 0 {
            self.not_asked += 1;
        } else if outcome.is_judged() {
            match outcome.status() {
                Status::Passed => self.passed += 1,
                Status::Failed => self.failed += 1,
                // With any other status, no judge decided the test.
                _ => {}
            }
        }
    }
}

/// The number of tests that changed against an earlier run, and of those that still fail. They are counted by their status too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ChangeCounts")]
pub struct ChangeTotals {
    /// Tests that do not pass, and passed or were not run before.
    pub new: usize,
    /// Tests that do not pass, and did not pass before.
    pub known: usize,
    /// Tests that pass, and did not pass before.
    pub fixed: usize,
}

impl ChangeTotals {
    fn add(&mut self, change: StatusChange) {
        match change {
            StatusChange::New => self.new += 1,
            StatusChange::Known => self.known += 1,
            StatusChange::Fixed => self.fixed += 1,
        }
    }
}

impl Totals {
    /// Counts one more test.
    pub fn add(&mut self, outcome: &Outcome) {
        // Each test is in exactly one of these numbers, apart from a flaky one: it passed, and is counted as flaky in addition.
        match outcome.counted() {
            CountedStatus::Quarantined(_) => self.quarantined += 1,
            CountedStatus::Flaky => {
                self.passed += 1;
                self.flaky += 1;
            }
            CountedStatus::As(Status::Passed) => self.passed += 1,
            CountedStatus::As(Status::Failed) => self.failed += 1,
            CountedStatus::As(Status::Error) => self.error += 1,
            CountedStatus::As(Status::Timeout) => self.timeout += 1,
            CountedStatus::As(Status::Skipped) => self.skipped += 1,
            CountedStatus::As(Status::Undecided) => self.undecided += 1,
            CountedStatus::As(Status::NotShown) => self.not_shown += 1,
        }

        // The numbers from here on are parts of those above, so that they are not added to the number of tests.
        if let Some(compared) = &outcome.self_comparison {
            self.compared += 1;
            self.flipped += usize::from(compared.is_flip());
        }
        let cause = outcome.verdict.end().skip_cause();
        self.without_input += usize::from(cause == Some(SkipCause::MissingInput));
        self.judged.add(outcome);
        if let Some(change) = outcome.change {
            self.changes.add(change);
        }

        // Sums over all tests.
        self.denied_warnings += outcome.verdict.denied_warnings as usize;
        self.duration_us = self
            .duration_us
            .saturating_add(outcome.transcript.duration_us);
    }

    /// The number of tests that fail the run.
    pub fn failing(&self) -> usize {
        self.failed + self.error + self.timeout
    }

    /// Whether every test was skipped for want of input; `false` if there were none.
    pub fn is_all_without_input(&self) -> bool {
        self.without_input > 0 && self.without_input == self.tests()
    }

    /// The number of tests.
    pub fn tests(&self) -> usize {
        self.passed
            + self.failed
            + self.error
            + self.timeout
            + self.skipped
            + self.undecided
            + self.not_shown
            + self.quarantined
    }
}

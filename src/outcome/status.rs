//! The verdicts, and how many of each a run has.

use super::Outcome;

/// The verdict of a test or turn (SPEC 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Every rule holds.
    Passed,
    /// A rule does not hold.
    Failed,
    /// The agent, the wire or the set-up could not do its work.
    Error,
    /// A time-out was reached.
    Timeout,
    /// Not run, on purpose.
    Skipped,
}

impl Status {
    /// The verdict that reports call by this word.
    pub fn named(word: &str) -> Option<Self> {
        let all = [Self::Passed, Self::Failed, Self::Error, Self::Timeout, Self::Skipped];
        all.into_iter().find(|status| status.as_str() == word)
    }

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Skipped => "skipped",
        }
    }

    /// Whether it fails the run.
    pub fn fails_the_run(self) -> bool {
        matches!(self, Self::Failed | Self::Error | Self::Timeout)
    }
}

/// How many tests ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Every rule holds.
    pub passed: usize,
    /// A rule does not hold.
    pub failed: usize,
    /// Could not do its work.
    pub error: usize,
    /// A time-out was reached.
    pub timeout: usize,
    /// Not run, on purpose.
    pub skipped: usize,
    /// Did not pass, and in quarantine: counted here and not among those above.
    pub quarantined: usize,
    /// Passed, but not at the first attempt, and not in quarantine: counted among those that passed as well.
    pub flaky: usize,
    /// The sum of the tests' durations, in microseconds.
    pub duration_us: u64,
}

impl Totals {
    /// Counts one more test.
    pub fn add(&mut self, outcome: &Outcome) {
        match outcome.status {
            Status::Failed | Status::Error | Status::Timeout if outcome.quarantine.is_some() => {
                self.quarantined += 1;
            }
            Status::Passed => self.passed += 1,
            Status::Failed => self.failed += 1,
            Status::Error => self.error += 1,
            Status::Timeout => self.timeout += 1,
            Status::Skipped => self.skipped += 1,
        }
        self.flaky += usize::from(outcome.is_flaky() && outcome.quarantine.is_none());
        self.duration_us = self.duration_us.saturating_add(outcome.duration_us);
    }

    /// How many tests there were.
    pub fn tests(&self) -> usize {
        self.passed + self.failed + self.error + self.timeout + self.skipped + self.quarantined
    }
}

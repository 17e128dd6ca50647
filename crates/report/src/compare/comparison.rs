//! The comparison of two runs.

use super::{ChangeKind, Noise, TestChange};
use crate::run_document::RunHead;

/// The rules for what counts as a change, and as a regression.
#[derive(Clone, Debug, Default)]
pub struct ComparisonRules {
    /// From when on a test is slower.
    pub noise: Noise,
    /// The kinds of changes that count as a regression in addition to newly failing tests.
    pub also: Vec<ChangeKind>,
}

/// The changes from one run to another.
#[derive(Debug)]
pub struct Comparison {
    pub(crate) before: ComparedSide,
    pub(crate) after: ComparedSide,
    /// In the order of the second report; then what only the first has, in its order.
    pub(crate) changes: Vec<TestChange>,
    /// The number of tests of the first report that the second run did not select.
    pub(crate) not_run: usize,
    pub(crate) agents_time: AgentsTime,
    pub(crate) spent: SpentBothTimes,
    pub(crate) also: Vec<ChangeKind>,
}

/// The earlier runs, or the later ones.
#[derive(Clone, Debug)]
pub(crate) struct ComparedSide {
    /// One or more, in the order in which they are named.
    pub(crate) runs: Vec<ComparedRun>,
    /// The number of tests that one of them has.
    pub(crate) tests: usize,
}

/// One of the runs.
#[derive(Clone, Debug)]
pub(crate) struct ComparedRun {
    /// The name of its report in messages.
    pub(crate) name: String,
    pub(crate) summary: RunSummary,
}

/// The numbers of a run that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunSummary {
    pub(crate) total: usize,
    /// `None` if the run did not come to its end.
    pub(crate) elapsed_us: Option<u64>,
    pub(crate) exit_code: Option<i64>,
}

impl RunSummary {
    pub(crate) fn of(head: &RunHead) -> Self {
        Self {
            total: head.total,
            elapsed_us: head.close.as_ref().map(|close| close.elapsed_us),
            exit_code: head.exit_code,
        }
    }
}

/// The agent's time in the tests that passed in both runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AgentsTime {
    pub(crate) tests: usize,
    pub(crate) before_us: u64,
    pub(crate) after_us: u64,
}

/// The tokens and the cost of the tests that have them in both runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SpentBothTimes {
    pub(crate) tokens: ComparedSum,
    /// In parts of a dollar.
    pub(crate) cost: ComparedSum,
}

/// A sum over the tests in which it is known both times.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ComparedSum {
    pub(crate) tests: usize,
    pub(crate) before: u64,
    pub(crate) after: u64,
}

impl ComparedSum {
    /// Adds a test, if its number is known both times.
    pub(crate) fn add(&mut self, before: Option<u64>, after: Option<u64>) {
        if let Some(before) = before
            && let Some(after) = after
        {
            self.tests += 1;
            self.before = self.before.saturating_add(before);
            self.after = self.after.saturating_add(after);
        }
    }

    /// The sum before; `None` if it is known of no test.
    pub(crate) fn known_before(self) -> Option<u64> {
        if self.tests == 0 {
            return None;
        }
        Some(self.before)
    }

    /// The sum after; `None` if it is known of no test.
    pub(crate) fn known_after(self) -> Option<u64> {
        if self.tests == 0 {
            return None;
        }
        Some(self.after)
    }
}

impl Comparison {
    /// The number of tests that changed in this way.
    pub(crate) fn count(&self, kind: ChangeKind) -> usize {
        self.changes
            .iter()
            .filter(|change| change.kinds.contains(&kind))
            .count()
    }

    /// The number of regressions of each kind that has any.
    pub(crate) fn regressions(&self) -> Vec<(ChangeKind, usize)> {
        let count = |kind: &ChangeKind| {
            let of_kind =
                |change: &&TestChange| change.regressions(&self.also).any(|other| other == *kind);
            (*kind, self.changes.iter().filter(of_kind).count())
        };
        ChangeKind::ALL
            .iter()
            .map(count)
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    /// Whether there is a regression.
    pub fn is_regression(&self) -> bool {
        !self.regressions().is_empty()
    }
}

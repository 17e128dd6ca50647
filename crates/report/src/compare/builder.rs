//! The reports of earlier runs, and a comparison of other runs with them, whose tests come one after the other.

use std::path::PathBuf;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::comparison::{AgentsTime, SpentBothTimes};
use super::{
    ChangeKind, ComparedRun, ComparedSide, Comparison, ComparisonRules, Noise, RunSummary,
    TestChange, TestSummary,
};
use crate::run_document::read_document;
use ananke_base::diagnostic::Diagnostic;
use ananke_trace::outcome::{EarlierStatuses, Status};

/// The path of a report, and its name in messages.
pub type ReportPath = (PathBuf, String);

/// The earlier runs: their summaries and their tests by id.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    runs: Vec<ComparedRun>,
    tests: IndexMap<String, TestSummary>,
}

impl Baseline {
    /// Reads reports. Tests that several of them have are merged.
    ///
    /// # Errors
    /// Each of them that cannot be read, or is not a complete report.
    pub fn read(reports: &[ReportPath]) -> Result<Self, Vec<Diagnostic>> {
        let mut read = Self::default();
        let mut problems = Vec::new();
        for (path, name) in reports {
            let head = read_document(path, name, &mut |outcome| {
                read.add(TestSummary::of(&outcome));
            });
            match head {
                Ok(head) => read.runs.push(ComparedRun {
                    name: name.clone(),
                    summary: RunSummary::of(&head),
                }),
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() {
            Ok(read)
        } else {
            Err(problems)
        }
    }

    fn add(&mut self, test: TestSummary) {
        match self.tests.entry(test.id.clone()) {
            Entry::Occupied(mut known) => {
                let merged = known.get().clone().merged(test);
                known.insert(merged);
            }
            Entry::Vacant(place) => {
                place.insert(test);
            }
        }
    }

    /// The reports of this side, which have so many tests.
    fn side(runs: Vec<ComparedRun>, tests: usize) -> ComparedSide {
        let tests = match runs.as_slice() {
            [run] => run.summary.total,
            _ => tests,
        };
        ComparedSide { runs, tests }
    }

    /// The statuses of its tests.
    pub fn statuses(&self) -> EarlierStatuses {
        let tests = self.tests.iter();
        tests.map(|(id, test)| (id.clone(), test.status)).collect()
    }
}

/// The tests of the project that a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All of them: a test that is not there was removed.
    AllTests,
    /// The tests that were selected.
    SelectedTests,
}

/// Compares the tests of a run, one after the other, with a baseline.
pub(crate) struct ComparisonBuilder {
    before: ComparedSide,
    /// The tests of the first run; `None` for those that came in the second.
    open: IndexMap<String, Option<TestSummary>>,
    noise: Noise,
    changes: Vec<TestChange>,
    agents_time: AgentsTime,
    spent: SpentBothTimes,
}

impl ComparisonBuilder {
    pub(crate) fn new(baseline: Baseline, noise: Noise) -> Self {
        let agents_time = AgentsTime::default();
        let before = Baseline::side(baseline.runs, baseline.tests.len());
        let tests = baseline.tests.into_iter();
        let open = tests.map(|(id, test)| (id, Some(test))).collect();
        Self {
            before,
            open,
            noise,
            changes: Vec::new(),
            agents_time,
            spent: SpentBothTimes::default(),
        }
    }

    pub(crate) fn add(&mut self, after: TestSummary) {
        let Some(before) = self.open.get_mut(&after.id).and_then(Option::take) else {
            self.changes.push(TestChange::appeared(after));
            return;
        };
        // The time of a test that did not pass says nothing.
        if (before.status, after.status) == (Status::Passed, Status::Passed) {
            self.agents_time.tests += 1;
            self.agents_time.before_us += before.duration_us;
            self.agents_time.after_us += after.duration_us;
        }
        self.spent.tokens.add(before.tokens, after.tokens);
        self.spent.cost.add(before.cost(), after.cost());
        self.changes
            .extend(TestChange::between(before, after, self.noise));
    }

    /// The comparison. Tests that did not come count as removed if the second run was one of all tests.
    pub(crate) fn finish(
        mut self,
        after: ComparedSide,
        coverage: Coverage,
        also: &[ChangeKind],
    ) -> Comparison {
        let gone = self.open.into_values().flatten();
        let not_run = match coverage {
            Coverage::AllTests => {
                self.changes.extend(gone.map(TestChange::disappeared));
                0
            }
            Coverage::SelectedTests => gone.count(),
        };
        let Self {
            before,
            changes,
            agents_time,
            spent,
            ..
        } = self;
        Comparison {
            before,
            after,
            changes,
            not_run,
            agents_time,
            spent,
            also: also.to_vec(),
        }
    }
}

impl Comparison {
    /// Compares the reports of earlier runs with those of later ones.
    ///
    /// # Errors
    /// The errors in all of them.
    pub fn of(
        before: &[ReportPath],
        after: &[ReportPath],
        rules: &ComparisonRules,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (known, later) = match (Baseline::read(before), Baseline::read(after)) {
            (Ok(known), Ok(later)) => (known, later),
            (known, later) => {
                let problems = [known.err(), later.err()].into_iter().flatten();
                return Err(problems.flatten().collect());
            }
        };
        let mut builder = ComparisonBuilder::new(known, rules.noise);
        let side = Baseline::side(later.runs, later.tests.len());
        for test in later.tests.into_values() {
            builder.add(test);
        }
        Ok(builder.finish(side, Coverage::AllTests, &rules.also))
    }
}

//! The report of an earlier run, and a comparison of another run with it, whose tests come one after the other.

use std::path::Path;

use indexmap::IndexMap;

use super::comparison::AgentsTime;
use super::{
    ChangeKind, ComparedRun, Comparison, ComparisonRules, Noise, RunSummary, TestChange,
    TestSummary,
};
use crate::run_document::read_document;
use ananke_base::diagnostic::Diagnostic;
use ananke_trace::outcome::{EarlierStatuses, Status};

/// The earlier run: its summary and its tests by id.
#[derive(Clone, Debug)]
pub struct Baseline {
    pub(super) name: String,
    pub(super) summary: RunSummary,
    pub(super) tests: IndexMap<String, TestSummary>,
}

impl Baseline {
    /// Reads the report at `path`, which messages call `name`.
    ///
    /// # Errors
    /// If it cannot be read, or is not a complete report.
    pub fn read(path: &Path, name: &str) -> Result<Self, Diagnostic> {
        let mut tests = IndexMap::new();
        let head = read_document(path, name, &mut |outcome| {
            tests.insert(outcome.test.id.clone(), TestSummary::of(&outcome));
        })?;
        Ok(Self {
            name: name.to_owned(),
            summary: RunSummary::of(&head),
            tests,
        })
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
    /// Those that were selected.
    SelectedTests,
}

/// Compares the tests of a run, one after the other, with a baseline.
pub(crate) struct ComparisonBuilder {
    before: ComparedRun,
    /// The tests of the first run; `None` for those that came in the second.
    open: IndexMap<String, Option<TestSummary>>,
    noise: Noise,
    changes: Vec<TestChange>,
    agents_time: AgentsTime,
}

impl ComparisonBuilder {
    pub(crate) fn new(baseline: Baseline, noise: Noise) -> Self {
        let open = baseline
            .tests
            .into_iter()
            .map(|(id, test)| (id, Some(test)))
            .collect();
        let agents_time = AgentsTime::default();
        let before = ComparedRun {
            name: baseline.name,
            summary: baseline.summary,
        };
        Self {
            before,
            open,
            noise,
            changes: Vec::new(),
            agents_time,
        }
    }

    pub(crate) fn add(&mut self, after: TestSummary) {
        let Some(before) = self.open.get_mut(&after.id).and_then(Option::take) else {
            self.changes.push(TestChange::appeared(after));
            return;
        };
        if (before.status, after.status) == (Status::Passed, Status::Passed) {
            self.agents_time.tests += 1;
            self.agents_time.before_us += before.duration_us;
            self.agents_time.after_us += after.duration_us;
        }
        self.changes
            .extend(TestChange::between(before, after, self.noise));
    }

    /// The comparison. Tests that did not come count as removed if the second run was one of all tests.
    pub(crate) fn finish(
        mut self,
        after: ComparedRun,
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
            ..
        } = self;
        Comparison {
            before,
            after,
            changes,
            not_run,
            agents_time,
            also: also.to_vec(),
        }
    }
}

impl Comparison {
    /// Compares the reports in two files, each a path and its name in messages.
    ///
    /// # Errors
    /// The error in either file.
    pub fn of(
        before: (&Path, &str),
        after: (&Path, &str),
        rules: &ComparisonRules,
    ) -> Result<Self, Vec<Diagnostic>> {
        let known = match Baseline::read(before.0, before.1) {
            Ok(known) => known,
            Err(problem) => {
                let other = read_document(after.0, after.1, &mut |_| {}).err();
                return Err([problem].into_iter().chain(other).collect());
            }
        };
        let mut builder = ComparisonBuilder::new(known, rules.noise);
        let head = read_document(after.0, after.1, &mut |outcome| {
            builder.add(TestSummary::of(&outcome));
        });
        let head = head.map_err(|problem| vec![problem])?;
        let run = ComparedRun {
            name: after.1.to_owned(),
            summary: RunSummary::of(&head),
        };
        Ok(builder.finish(run, Coverage::AllTests, &rules.also))
    }
}

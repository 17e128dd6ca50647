//! The report of an earlier run, with which another is compared.

use std::path::Path;

use indexmap::IndexMap;

use super::comparison::RunSummary;
use super::test_summary::TestSummary;
use crate::run_document::read_document;
use ananke_base::diagnostic::Diagnostic;
use ananke_trace::outcome::EarlierStatuses;

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

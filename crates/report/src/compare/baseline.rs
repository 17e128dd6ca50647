//! The report of an earlier run, with which another is compared.

use std::path::Path;

use indexmap::IndexMap;

use super::reader;
use super::run_summary::RunSummary;
use super::test_summary::TestSummary;
use ananke_base::diagnostic::Diagnostic;

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
        let summary = reader::read(path, name, &mut |test| {
            tests.insert(test.id.clone(), test);
        })?;
        Ok(Self {
            name: name.to_owned(),
            summary,
            tests,
        })
    }
}

//! The tests that a change of files concerns.
//!
//! Flows in: the paths that changed. Flows out: test files. A file is known to matter by its name: it is the config, a test
//! file, one of its snapshots, or a file that the config or a test file names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::plan::Plan;
use crate::loaded::file_text;
use ananke_base::context::Context;
use ananke_trace::golden;

/// The tests that a change concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TouchedTests {
    /// Every test.
    All,
    /// The tests of these files; none if there is no file.
    Of(BTreeSet<PathBuf>),
}

impl Plan {
    /// The test files of the plan.
    pub fn test_files(&self) -> BTreeSet<&Path> {
        self.cases
            .iter()
            .map(|case| case.test.path.as_path())
            .collect()
    }

    /// The tests that a change of the files at `changed` concerns. What a run writes itself, its reports, concerns none.
    pub fn touched_by(&self, changed: &BTreeSet<PathBuf>, context: &Context) -> TouchedTests {
        let tests = self.test_files();
        let is_report = |path: &Path| self.reports.iter().any(|(report, _)| report == path);
        let changed: Vec<&PathBuf> = changed.iter().filter(|path| !is_report(path)).collect();
        let config = &self.config.source;
        if changed.iter().any(|path| **path == config.path) {
            return TouchedTests::All;
        }
        let (own, others): (Vec<&PathBuf>, Vec<&PathBuf>) = changed
            .into_iter()
            .partition(|path| tests.contains(path.as_path()));
        if others.iter().any(|path| is_named_in(&config.text, path)) {
            return TouchedTests::All;
        }
        let mut touched: BTreeSet<PathBuf> = own.into_iter().cloned().collect();
        for test in tests.into_iter().filter(|_| !others.is_empty()) {
            let snapshots = golden::folder(test);
            let text = file_text(context, test);
            if others
                .iter()
                .any(|path| path.starts_with(&snapshots) || is_named_in(&text, path))
            {
                touched.insert(test.to_owned());
            }
        }
        TouchedTests::Of(touched)
    }
}

/// Whether a text contains the name of the file at `path`.
fn is_named_in(text: &str, path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| text.contains(name))
}

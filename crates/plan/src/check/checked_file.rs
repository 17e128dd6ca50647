//! The result of the checks of a test file.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use super::check::CheckedTest;
use crate::loaded::LoadedTest;
use ananke_base::context::{Context, display_name};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span};

/// The result of the checks of a file.
#[derive(Default)]
pub(super) struct CheckedFile {
    /// Its good tests.
    pub(super) tests: Vec<CheckedTest>,
    /// Whether it is broken and may give its tests variables.
    pub(super) broken_with_variables: bool,
    pub(super) problems: Vec<Diagnostic>,
}

/// The tests that snapshots belong to, and where these tests are.
#[derive(Default)]
pub(super) struct SnapshotOwners(HashMap<PathBuf, (Arc<SourceFile>, Span)>);

impl SnapshotOwners {
    /// Adds the snapshots of a test, one of which may be kept where another test keeps one.
    pub(super) fn take(
        &mut self,
        context: &Context,
        test: &LoadedTest,
        files: &BTreeSet<PathBuf>,
    ) -> Option<Diagnostic> {
        let name = test.model.name.span;
        let shared = files
            .iter()
            .find_map(|file| Some((file, self.0.get(file)?.clone())));
        for file in files {
            self.0
                .entry(file.clone())
                .or_insert_with(|| (Arc::clone(&test.source), name));
        }
        let (file, (source, other)) = shared?;
        let message = format!(
            "the snapshots of two tests are kept in `{}`",
            display_name(context, file)
        );
        let problem = Diagnostic::error(Code::DuplicateSnapshot, message)
            .at(&test.source, name, "that of this test")
            .at(&source, other, "and of this one");
        Some(problem.help("give one of the tests, or one of the snapshots, another name"))
    }
}

//! The test of a file that a snapshot belongs to: files of snapshots in, two tests that share one out.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use super::test::LoadedTest;
use ananke_base::context::{Context, display_name};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span};

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

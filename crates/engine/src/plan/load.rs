//! All test files of a project, loaded and checked on every core.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::check::{CheckedTest, ProjectContext};
use super::check_file::check_file;
use super::checked_file::CheckedFile;
use super::entry::CaseEntry;
use ananke_base::diagnostic::{Code, Diagnostic, Span};
use ananke_model::variables::Secret;
use ananke_rules::Lint;

/// The tests of a plan, and what their rules can never do, which is reported if nothing is broken.
#[derive(Default)]
pub(super) struct LoadedTests {
    /// The good ones.
    pub(super) cases: Vec<CaseEntry>,
    pub(super) warnings: Vec<Diagnostic>,
    /// The limits of targets that mean nothing in any of their tests, which counts if these are all tests.
    pub(super) target_warnings: Vec<Diagnostic>,
    /// The secrets that their own variables put into headers.
    pub(super) secrets: Vec<Secret>,
    /// The files of their snapshots.
    pub(super) snapshots: BTreeSet<PathBuf>,
    pub(super) broken: BrokenTests,
}

/// Tests that are broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BrokenTests {
    /// None defines variables for itself.
    #[default]
    DefineNoVariables,
    /// One may define variables for itself.
    MayDefineVariables,
}

/// Loads and checks all `files`, on every core, in their order.
pub(super) fn load_all(
    project: &ProjectContext<'_>,
    files: &[PathBuf],
    problems: &mut Vec<Diagnostic>,
) -> LoadedTests {
    let mut loaded = LoadedTests::default();
    let mut limits: BTreeMap<String, Vec<Vec<Diagnostic>>> = BTreeMap::new();
    for file in check_all(project, files) {
        problems.extend(file.problems);
        if file.broken_with_variables {
            loaded.broken = BrokenTests::MayDefineVariables;
        }
        for CheckedTest {
            cases,
            target,
            lint: Lint { certain, of_target },
            secrets,
            snapshots,
        } in file.tests
        {
            loaded.secrets.extend(secrets);
            loaded.snapshots.extend(snapshots);
            loaded.cases.extend(cases);
            loaded.warnings.extend(certain);
            limits.entry(target).or_default().push(of_target);
        }
    }
    loaded.target_warnings = limits.into_values().flat_map(in_every).collect();
    loaded
}

/// The files, checked on every core, in their order.
fn check_all(project: &ProjectContext<'_>, files: &[PathBuf]) -> Vec<CheckedFile> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = files.get(index) else {
                return done;
            };
            done.push((index, check_file(project, path)));
        }
    };
    // A thread costs more than a few small files.
    let threads = project
        .context
        .parallelism
        .min(NonZeroUsize::MIN.saturating_add(files.len() / 16))
        .get();
    let mut done = if threads == 1 {
        work()
    } else {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            threads
                .into_iter()
                .flat_map(|thread| {
                    thread
                        .join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                })
                .collect()
        })
    };
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, file)| file).collect()
}

/// The warnings that every test of one target has, by place: another test may give a limit of the target its
/// meaning.
fn in_every(mut tests: Vec<Vec<Diagnostic>>) -> Vec<Diagnostic> {
    let key = |warning: &Diagnostic| -> (Code, Option<Span>) {
        (warning.code, warning.labels.first().map(|label| label.span))
    };
    let Some(mut common) = tests.pop() else {
        return Vec::new();
    };
    common.retain(|warning| {
        tests
            .iter()
            .all(|others| others.iter().any(|other| key(other) == key(warning)))
    });
    common
}

//! All test files of a project, loaded and checked on every core.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::check::{CheckedTest, ProjectContext};
use super::check_file::check_file;
use super::checked_file::CheckedFile;
use crate::loaded::CaseEntry;
use ananke_base::diagnostic::{Code, Diagnostic, Span};
use ananke_model::variables::Secret;
use ananke_rules::Lint;

/// The number of files that a thread takes at once: what they come to is put together before the next, so that little of a
/// large project is in memory.
const TAKEN_AT_ONCE: usize = 16;

/// The tests of a plan, and what their rules can never do, which is reported if nothing is broken.
#[derive(Default)]
pub(crate) struct LoadedTests {
    /// The good ones.
    pub(crate) cases: Vec<CaseEntry>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// The limits of each target that mean nothing in any of its tests: another test may give one its meaning. They count if
    /// these are all tests.
    target_warnings: BTreeMap<String, Vec<Diagnostic>>,
    /// The secrets that their own variables put into headers.
    pub(crate) secrets: Vec<Secret>,
    /// The files of their snapshots.
    pub(crate) snapshots: BTreeSet<PathBuf>,
    pub(crate) broken: BrokenTests,
    problems: Vec<Diagnostic>,
}

impl LoadedTests {
    /// Adds the tests of a file.
    fn add(&mut self, file: CheckedFile) {
        self.problems.extend(file.problems);
        if file.broken_with_variables {
            self.broken = BrokenTests::MayDefineVariables;
        }
        for CheckedTest {
            cases,
            target,
            lint: Lint { certain, of_target },
            secrets,
            snapshots,
        } in file.tests
        {
            self.secrets.extend(secrets);
            self.snapshots.extend(snapshots);
            self.cases.extend(cases);
            self.warnings.extend(certain);
            self.add_target_warnings(target, of_target);
        }
    }

    /// Adds the tests of further files.
    fn append(&mut self, further: Self) {
        self.cases.extend(further.cases);
        self.warnings.extend(further.warnings);
        for (target, warnings) in further.target_warnings {
            self.add_target_warnings(target, warnings);
        }
        self.secrets.extend(further.secrets);
        self.snapshots.extend(further.snapshots);
        self.broken = self.broken.max(further.broken);
        self.problems.extend(further.problems);
    }

    /// Keeps of `warnings`, those of further tests of `target`, the ones that the tests before have too.
    fn add_target_warnings(&mut self, target: String, mut warnings: Vec<Diagnostic>) {
        let place = |warning: &Diagnostic| -> (Code, Option<Span>) {
            (warning.code, warning.labels.first().map(|label| label.span))
        };
        match self.target_warnings.entry(target) {
            Entry::Vacant(none_before) => _ = none_before.insert(warnings),
            Entry::Occupied(mut before) => {
                let before = before.get_mut();
                warnings.retain(|warning| before.iter().any(|it| place(it) == place(warning)));
                *before = warnings;
            }
        }
    }

    /// Takes the warnings about the limits of targets.
    pub(crate) fn take_target_warnings(&mut self) -> impl Iterator<Item = Diagnostic> + use<> {
        std::mem::take(&mut self.target_warnings)
            .into_values()
            .flatten()
    }
}

/// Tests that are broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BrokenTests {
    /// None defines variables for itself.
    #[default]
    DefineNoVariables,
    /// One may define variables for itself.
    MayDefineVariables,
}

/// Loads and checks all `files`, on every core, in their order.
pub(crate) fn load_all(
    project: &ProjectContext<'_>,
    files: &[PathBuf],
    problems: &mut Vec<Diagnostic>,
) -> LoadedTests {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(taken) = files.chunks(TAKEN_AT_ONCE).nth(index) else {
                return done;
            };
            let mut loaded = LoadedTests::default();
            for path in taken {
                loaded.add(check_file(project, path));
            }
            done.push((index, loaded));
        }
    };
    // A thread costs more than a few small files.
    let threads = project
        .context
        .parallelism
        .min(NonZeroUsize::MIN.saturating_add(files.len() / TAKEN_AT_ONCE))
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
    done.sort_by_key(|(index, ..)| *index);
    let mut loaded = LoadedTests::default();
    for (_, further) in done {
        loaded.append(further);
    }
    problems.append(&mut loaded.problems);
    loaded
}

//! Arguments that select tests: files, directories, lines of files, and tests by their ids or names.
//!
//! Flows in: the arguments as they are written, then the tests that were found. Flows out: which of these are meant. **Invariant:** a
//! path that exists is a path, whatever else has the same name; everything that is wrong is reported at once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::named_line::NamedLine;
use super::named_place::{NamedPlace, is_file_name};
use super::named_test::NamedTest;
use crate::loaded::CaseEntry;
use crate::project::ProjectFiles;
use ananke_base::context::{Context, absolute};
use ananke_base::diagnostic::Diagnostic;

/// The arguments of a command that select tests.
#[derive(Debug, Default)]
pub(crate) struct NamedTests {
    /// Files and directories of which every test is meant.
    paths: Vec<PathBuf>,
    /// Lines of files.
    lines: Vec<NamedLine>,
    /// Tests by their ids or names.
    tests: Vec<NamedTest>,
    /// The problems of those that name no line of a file.
    wrong: Vec<Diagnostic>,
}

impl NamedTests {
    /// Separates paths, lines and tests.
    pub(crate) fn of(written: &[PathBuf], place: &NamedPlace<'_>) -> Self {
        let mut named = Self::default();
        for path in written {
            let text = path.to_string_lossy();
            let is_there = place
                .context
                .files
                .look(&absolute(place.context, path))
                .is_ok();
            if is_there {
                named.paths.push(path.clone());
                continue;
            }
            if is_file_name(&text) {
                named.wrong.push(place.no_file(&text, ""));
                continue;
            }
            match NamedLine::of(&text, place) {
                Some(Ok(line)) => named.lines.push(line),
                Some(Err(problem)) => named.wrong.push(problem),
                None => named.tests.push(NamedTest::of(&text, place)),
            }
        }
        named
    }

    /// True if they name single tests, or something that is not there.
    pub(crate) fn has_tests(&self) -> bool {
        !self.lines.is_empty() || !self.tests.is_empty() || !self.wrong.is_empty()
    }

    /// The files that are named, found by `discover`: those of the whole project if nothing is, or a test may be in any.
    pub(crate) fn files(
        &self,
        mut discover: impl FnMut(&[PathBuf]) -> ProjectFiles,
    ) -> ProjectFiles {
        let of_lines = self.lines.iter().flat_map(NamedLine::files).cloned();
        let of_tests = self.tests.iter().filter_map(NamedTest::file);
        let files = of_lines.chain(of_tests.map(Path::to_path_buf));
        let paths: Vec<PathBuf> = self.paths.iter().cloned().chain(files).collect();
        let is_anywhere = self.tests.iter().any(|test| test.file().is_none());
        if paths.is_empty() && !is_anywhere && !self.wrong.is_empty() {
            return ProjectFiles::default();
        }
        let mut found = discover(&paths);
        if is_anywhere && !paths.is_empty() {
            found.extend(discover(&[]));
        }
        found
    }

    /// A truth value for each of `cases`: true if it is named, or is in what is named. An argument that names none of them is a problem,
    /// unless its file has an error.
    pub(super) fn find(
        &self,
        cases: &[CaseEntry],
        context: &Context,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<bool> {
        let paths: Vec<PathBuf> = self
            .paths
            .iter()
            .map(|path| absolute(context, path))
            .collect();
        let is_in_paths =
            |case: &CaseEntry| paths.iter().any(|path| case.test.path.starts_with(path));
        let mut is_named: Vec<bool> = cases
            .iter()
            .map(|case| !self.has_tests() || is_in_paths(case))
            .collect();
        // Tests of a file with an error may be unknown.
        let broken: HashSet<PathBuf> = problems
            .iter()
            .filter(|problem| problem.is_error())
            .filter_map(|problem| Some(problem.source.as_ref()?.path.clone()))
            .collect();
        let is_broken = |file: &Path| broken.contains(file);
        let of_lines = self.lines.iter().map(|line| {
            let is_unknown = line.files().iter().any(|file| is_broken(file));
            (line.find(cases, context), is_unknown)
        });
        let of_tests = self
            .tests
            .iter()
            .map(|test| (test.find(cases), test.file().is_some_and(is_broken)));
        problems.extend(self.wrong.iter().cloned());
        for (found, is_unknown) in of_lines.chain(of_tests) {
            match found {
                Ok(positions) => positions.into_iter().for_each(|at| is_named[at] = true),
                Err(_) if is_unknown => {}
                Err(problem) => problems.push(problem),
            }
        }
        is_named
    }
}

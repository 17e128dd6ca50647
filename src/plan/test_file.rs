//! A test file: read once for all of its tests, in the plan and in the run.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::check::{Checked, Project};
use super::test::LoadedTest;
use super::{CaseEntry, Unprepared, discover};
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic, SourceFile};
use crate::model::TestFile;
use crate::schema::{self, FileKind};
use crate::source;

/// A test file as loaded.
#[derive(Debug)]
pub struct LoadedFile {
    pub(super) tests: Vec<Arc<LoadedTest>>,
    /// A hash of its text.
    hash: u64,
}

/// What was found out about a file.
#[derive(Default)]
pub(super) struct CheckedFile {
    /// Its good tests.
    pub(super) tests: Vec<Checked>,
    /// Whether it is broken and may give its tests variables.
    pub(super) broken_with_variables: bool,
    pub(super) problems: Vec<Diagnostic>,
}

impl LoadedFile {
    /// Reads a test file.
    pub(super) fn load(context: &Context, path: &Path) -> Result<Self, Vec<Diagnostic>> {
        let source =
            source::read(path, &discover::display_name(context, path)).map_err(|problem| vec![problem])?;
        let loaded = schema::load::<TestFile>(FileKind::Test, &source)?;
        Ok(Self::of(&source, loaded.value))
    }

    fn of(source: &Arc<SourceFile>, file: TestFile) -> Self {
        let mut hasher = DefaultHasher::new();
        source.text.hash(&mut hasher);
        let hash = hasher.finish();
        let tests = file.tests.into_iter().enumerate();
        let tests =
            tests.map(|(index, test)| Arc::new(LoadedTest::of(Arc::clone(source), test, index, hash)));
        Self { tests: tests.collect(), hash }
    }

    /// The test of a planned case.
    ///
    /// # Errors
    /// Where the file is not what it was when the plan was made.
    pub fn test_of(&self, entry: &CaseEntry) -> Result<Arc<LoadedTest>, Unprepared> {
        let test = self.tests.get(entry.test.index).filter(|_| self.hash == entry.test.hash);
        test.cloned().ok_or(Unprepared::Changed)
    }

    /// Loads and checks the file at `path`.
    pub(super) fn check(project: &Project<'_>, path: &Path) -> CheckedFile {
        match Self::load(project.context, path) {
            Ok(file) => file.checked(project),
            Err(problems) => {
                let mut found = Self::further_problems(project, path);
                found.problems.splice(..0, problems);
                found
            }
        }
    }

    fn checked(&self, project: &Project<'_>) -> CheckedFile {
        let mut found = CheckedFile::default();
        let mut kept: HashMap<PathBuf, &LoadedTest> = HashMap::new();
        for test in &self.tests {
            let Some(checked) = test.check(project, &mut found.problems) else { continue };
            let mut shared = None;
            for file in &checked.snapshots {
                shared = shared.or_else(|| Some((file, *kept.get(file)?)));
                kept.entry(file.clone()).or_insert(test);
            }
            found.problems.extend(shared.map(|(file, other)| shares(project.context, test, other, file)));
            found.tests.push(checked);
        }
        found
    }

    /// What else is wrong with a file that does not fit: its patterns and references are checked all the same, so that
    /// everything is told in one go (SPEC 1).
    fn further_problems(project: &Project<'_>, path: &Path) -> CheckedFile {
        let read = source::read(path, &discover::display_name(project.context, path)).ok();
        let salvaged = read.and_then(|source| Some((schema::salvage::<TestFile>(&source)?, source)));
        let Some((salvaged, source)) = salvaged else {
            return CheckedFile { broken_with_variables: true, ..CheckedFile::default() };
        };
        let file = Self::of(&source, salvaged.value.clone());
        let mut found = file.checked(&Project { agents: None, ..*project });
        found.problems.retain(|problem| salvaged.is_of_the_file(problem));
        let gives = file.tests.iter().any(|test| test.may_give_variables(project.supply));
        CheckedFile { tests: Vec::new(), broken_with_variables: gives, ..found }
    }
}

/// Two tests of one file whose snapshots would be kept in one place.
fn shares(context: &Context, test: &LoadedTest, other: &LoadedTest, file: &Path) -> Diagnostic {
    let shown = discover::display_name(context, file);
    let message = format!("the snapshots of two tests are kept in `{shown}`");
    Diagnostic::error(Code::DuplicateSnapshot, message)
        .at(&test.source, test.model.name.span, "that of this test")
        .at(&test.source, other.model.name.span, "and of this one")
        .help("give one of the tests, or one of the snapshots, another name")
}

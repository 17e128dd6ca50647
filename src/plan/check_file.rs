//! What is wrong with a test file, or odd about it, before anything runs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::check::{CheckedTest, ProjectContext};
use super::loaded_file::LoadedFile;
use super::test::LoadedTest;
use crate::context::{Context, display_name};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::TestFile;
use crate::schema::{self, FileKind};
use crate::source;

/// What was found out about a file.
#[derive(Default)]
pub(super) struct CheckedFile {
    /// Its good tests.
    pub(super) tests: Vec<CheckedTest>,
    /// Whether it is broken and may give its tests variables.
    pub(super) broken_with_variables: bool,
    pub(super) problems: Vec<Diagnostic>,
}

/// Loads and checks the file at `path`.
pub(super) fn check_file(project: &ProjectContext<'_>, path: &Path) -> CheckedFile {
    match LoadedFile::load(project.context, path) {
        Ok(mut file) => {
            let mut found = check_tests(&file, project);
            found.problems.append(&mut file.oddities);
            project.kept.keep(path, file);
            found
        }
        Err(problems) => {
            let mut found = further_problems(project, path);
            found.problems.splice(..0, problems);
            found
        }
    }
}

/// Checks the tests of a file.
fn check_tests(file: &LoadedFile, project: &ProjectContext<'_>) -> CheckedFile {
    let mut found = CheckedFile::default();
    let mut kept: HashMap<PathBuf, &LoadedTest> = HashMap::new();
    for test in &file.tests {
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
/// everything is reported at once (SPEC 1).
fn further_problems(project: &ProjectContext<'_>, path: &Path) -> CheckedFile {
    let read = source::read(&project.context.files, path, &display_name(project.context, path)).ok();
    let recovered =
        read.and_then(|source| Some((schema::recover::<TestFile>(FileKind::Test, &source)?, source)));
    let Some((recovered, source)) = recovered else {
        return CheckedFile { broken_with_variables: true, ..CheckedFile::default() };
    };
    let file = LoadedFile::of(&source, recovered.value.clone());
    let mut found = check_tests(&file, &ProjectContext { targets: None, ..*project });
    found.problems.retain(|problem| recovered.is_of_the_file(problem));
    let gives = file.tests.iter().any(|test| test.may_give_variables(project.variables));
    CheckedFile { tests: Vec::new(), broken_with_variables: gives, ..found }
}

/// Two tests of one file whose snapshots would be kept in one place.
fn shares(context: &Context, test: &LoadedTest, other: &LoadedTest, file: &Path) -> Diagnostic {
    let shown = display_name(context, file);
    let message = format!("the snapshots of two tests are kept in `{shown}`");
    Diagnostic::error(Code::DuplicateSnapshot, message)
        .at(&test.source, test.model.name.span, "that of this test")
        .at(&test.source, other.model.name.span, "and of this one")
        .help("give one of the tests, or one of the snapshots, another name")
}

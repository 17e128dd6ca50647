//! The checks of a test file, before anything runs.

use std::path::Path;

use super::check::ProjectContext;
use super::check_cases::check_cases;
use super::checked_file::{CheckedFile, SnapshotOwners};
use crate::cases::is_case_file;
use crate::loaded::LoadedFile;
use ananke_base::context::display_name;
use ananke_base::source;
use ananke_model::model::TestFile;
use ananke_model::schema::{self, FileKind};

/// Loads and checks the file at `path`.
pub(super) fn check_file(project: &ProjectContext<'_>, path: &Path) -> CheckedFile {
    if is_case_file(path) {
        return check_cases(project, path);
    }
    match LoadedFile::load(project.context, path, project.version()) {
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
    // Most files have one test: a vector that grows would take the memory of four.
    let tests = Vec::with_capacity(file.tests.len());
    let mut found = CheckedFile {
        tests,
        ..CheckedFile::default()
    };
    let mut snapshots = SnapshotOwners::default();
    for test in &file.tests {
        let Some(checked) = test.check(project, &mut found.problems) else {
            continue;
        };
        found
            .problems
            .extend(snapshots.take(project.context, test, &checked.snapshots));
        found.tests.push(checked);
    }
    found
}

/// The further problems of a file that does not have the right shape: its patterns and references are checked all the
/// same, so that everything is reported at once (SPEC 1).
fn further_problems(project: &ProjectContext<'_>, path: &Path) -> CheckedFile {
    let read = source::read(
        &project.context.files,
        path,
        &display_name(project.context, path),
    )
    .ok();
    let recovered = read.and_then(|source| {
        Some((
            schema::recover::<TestFile>(FileKind::Test, &source)?,
            source,
        ))
    });
    let Some((recovered, source)) = recovered else {
        return CheckedFile {
            broken_with_variables: true,
            ..CheckedFile::default()
        };
    };
    // Unless it declares another one.
    let of_config = project.version();
    source.set_version((of_config.major, of_config.minor));
    let file = LoadedFile::of(&source, recovered.value.clone());
    let mut found = check_tests(&file, project);
    found
        .problems
        .retain(|problem| recovered.is_of_the_file(problem));
    let gives = file
        .tests
        .iter()
        .any(|test| test.may_give_variables(project.variables));
    CheckedFile {
        tests: Vec::new(),
        broken_with_variables: gives,
        ..found
    }
}

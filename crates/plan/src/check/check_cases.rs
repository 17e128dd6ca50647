//! The checks of a case file, before anything runs: each case for itself, one after the other.

use std::path::Path;

use super::check::{CheckedTest, ProjectContext};
use super::checked_file::{CheckedFile, SnapshotOwners};
use crate::cases::{CaseFile, CaseText, ReadCase};
use crate::loaded::LoadedTest;
use ananke_base::context::display_name;
use ananke_base::diagnostic::{Code, Diagnostic, Severity};
use ananke_rules::Lint;

/// The number of errors of a file that are reported, and the number of warnings: a mistake of the program that wrote it is
/// in every case.
const MOST_REPORTED: usize = 100;

/// Loads and checks the case file at `path`.
pub(super) fn check_cases(project: &ProjectContext<'_>, path: &Path) -> CheckedFile {
    let name = display_name(project.context, path);
    let file = CaseFile {
        files: &project.context.files,
        path,
        name: &name,
    };
    let mut checked = CheckedCases::new(project);
    file.each(&mut |read| checked.add(read));
    checked.count_lints(&name);
    if checked.count == 0 {
        let problem = Diagnostic::error(Code::EmptyValue, format!("`{name}` contains no cases"));
        let help = "write one JSON object per line: `{\"id\": \"T001\", \"input\": \"Hello\"}`";
        checked.reported.add([problem.help(help)]);
    }
    let problems = checked.reported.problems(&name);
    CheckedFile {
        tests: checked.tests,
        problems,
        broken_with_variables: false,
    }
}

/// The results of the checks of a file's cases so far.
struct CheckedCases<'p> {
    project: &'p ProjectContext<'p>,
    /// The good ones.
    tests: Vec<CheckedTest>,
    /// The number of cases, good or not.
    count: usize,
    /// The number of warnings about rules.
    lints: usize,
    reported: ReportedProblems,
    snapshots: SnapshotOwners,
}

impl<'p> CheckedCases<'p> {
    fn new(project: &'p ProjectContext<'p>) -> Self {
        let (reported, snapshots) = (ReportedProblems::default(), SnapshotOwners::default());
        Self {
            project,
            tests: Vec::new(),
            count: 0,
            lints: 0,
            reported,
            snapshots,
        }
    }

    fn add(&mut self, read: Result<CaseText, Diagnostic>) {
        self.count += 1;
        let CaseText { source, part } = match read {
            Ok(text) => text,
            Err(problem) => return self.reported.add([problem]),
        };
        let of_config = self.project.version();
        source.set_version((of_config.major, of_config.minor));
        let mut case = ReadCase::of(&source);
        self.reported.add(std::mem::take(&mut case.problems));
        let Some(model) = case.test.take() else {
            return;
        };
        let test = LoadedTest::of_case(source, model, part);
        let targets = self.project.targets.filter(|_| !case.is_broken);
        let mut problems = Vec::new();
        let mut checked = test.check(
            &ProjectContext {
                targets,
                ..*self.project
            },
            &mut problems,
        );
        problems.retain(|problem| case.owns(problem));
        if let Some(CheckedTest {
            lint: Lint { certain, .. },
            snapshots,
            ..
        }) = &mut checked
        {
            let room = MOST_REPORTED.saturating_sub(self.lints);
            self.lints += certain.len();
            certain.truncate(room);
            problems.extend(self.snapshots.take(self.project.context, &test, snapshots));
        }
        self.reported.add(problems);
        self.tests.extend(checked.filter(|_| !case.is_broken));
    }

    /// Says how many warnings about rules there are beyond those that are kept.
    fn count_lints(&mut self, name: &str) {
        if let (Some(last), true) = (self.tests.last_mut(), self.lints > MOST_REPORTED) {
            let message = format!(
                "`{name}` has {} more warnings about its rules",
                self.lints - MOST_REPORTED
            );
            last.lint
                .certain
                .push(Diagnostic::warning(Code::LimitExceeded, message));
        }
    }
}

/// The problems of a file, as many as are read.
#[derive(Default)]
struct ReportedProblems {
    problems: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl ReportedProblems {
    /// Adds problems. Cases are parts of their file, in which no fix finds its place.
    fn add(&mut self, problems: impl IntoIterator<Item = Diagnostic>) {
        for mut problem in problems {
            let count = match problem.severity {
                Severity::Error => &mut self.errors,
                Severity::Warning | Severity::Note => &mut self.warnings,
            };
            *count += 1;
            if *count <= MOST_REPORTED {
                problem.fixes.clear();
                self.problems.push(problem);
            }
        }
    }

    fn problems(mut self, name: &str) -> Vec<Diagnostic> {
        let more = [
            (
                self.errors,
                "errors",
                Diagnostic::error as fn(Code, String) -> Diagnostic,
            ),
            (self.warnings, "warnings", Diagnostic::warning),
        ];
        for (count, what, diagnostic) in more {
            if count > MOST_REPORTED {
                let message = format!("`{name}` has {} more {what}", count - MOST_REPORTED);
                self.problems.push(diagnostic(Code::LimitExceeded, message));
            }
        }
        self.problems
    }
}

//! The entry of a test in the plan, so that a project of any size fits into little memory: the rest is loaded again for
//! its run.
//!
//! **Invariant:** what all rows of a test have in common is there once.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cases::FilePart;
use crate::compile::{RowEntry, WalkPlan};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_model::model::BrokenProhibitions;
use ananke_model::schema::Version;
use ananke_model::settings::{RunCount, RunSettings};
use ananke_model::variables::{Secret, TestAbout};
use ananke_trace::outcome::Quarantine;

/// One selected test, or one row of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseEntry {
    /// The test.
    pub test: Arc<TestEntry>,
    /// The row it runs with, of a test that has rows.
    pub row: Option<RowEntry>,
    /// The valid quarantine entry that matches it.
    pub quarantine: Option<Arc<Quarantine>>,
}

/// A test, whatever the row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestEntry {
    /// `path::name`, the path from the config's folder, or the `id` the test gives itself (SPEC 1, Identity).
    pub id: String,
    /// The test's name.
    pub name: String,
    /// The version of its config, which its file has if it declares none.
    pub of_config: Option<Version>,
    /// The name of its target.
    pub target: String,
    /// The names of the judges that its rules ask, sorted.
    pub judges: Vec<String>,
    /// The name of the target that plays the user.
    pub simulator: Option<String>,
    /// The names of the targets whose tools it declares to its model, sorted.
    pub tool_servers: Vec<String>,
    /// Whether it asks a person if its agent waits for input.
    pub asks_person: bool,
    /// The facts that the test says of itself.
    pub about: TestAbout,
    /// The reason that it does not run, if it is skipped.
    pub skip: Option<String>,
    /// The number of runs, if the test gives it.
    pub runs: Option<RunCount>,
    /// The weight of its runs that break a prohibition, if it says so.
    pub prohibitions: Option<BrokenProhibitions>,
    /// Its walks, if it has a walk.
    pub walk: Option<WalkPlan>,
    /// The number of turns.
    pub turns: usize,
    /// The file.
    pub path: PathBuf,
    /// The file from the config's folder.
    pub place: String,
    /// The file as shown in messages.
    pub file: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// Its place among the tests of its file, counted from 0.
    pub index: usize,
    /// A hash of the file's text, to notice that it changed; 0 for a case file, which is read case by case.
    pub hash: u64,
    /// Its part of a case file, which is read case by case.
    pub part: Option<FilePart>,
    /// The file that its rows are in, if they are not written in the test.
    pub row_file: Option<PathBuf>,
    /// Whether hooks run before it, so that it may use names that nothing else defines.
    pub hooks: bool,
    /// The variables that it gives itself whatever the row, sorted.
    pub defines: Vec<String>,
    /// The secrets that its own variables put into headers; secrets of its rows and hooks are known when it runs.
    pub secrets: Vec<Secret>,
}

impl TestEntry {
    /// Whether it asks the target `name` for something.
    pub(crate) fn asks(&self, name: &str, judging: Judging) -> bool {
        let is_judge = judging == Judging::Asked && self.judges.iter().any(|judge| judge == name);
        let is_server = self.tool_servers.iter().any(|server| server == name);
        is_judge || is_server || self.simulator.as_deref() == Some(name)
    }
}

impl CaseEntry {
    /// The id of the test, with `[row]` for one of its rows (SPEC 1, Identity).
    pub fn id(&self) -> Cow<'_, str> {
        match &self.row {
            None => Cow::Borrowed(&self.test.id),
            Some(row) => Cow::Owned(format!("{}[{}]", self.test.id, row.label)),
        }
    }

    /// Whether both are rows of one test.
    pub fn is_of_same_test(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.test, &other.test)
    }

    /// The row and its place, for messages: `row 3 (cities.csv:4)`.
    pub(crate) fn row_place(&self) -> String {
        let Some(row) = &self.row else {
            return format!("{}:{}", self.test.file, self.test.line);
        };
        let own = self
            .test
            .row_file
            .as_ref()
            .and_then(|path| path.file_name());
        let file = own.map_or(self.test.file.as_str().into(), OsStr::to_string_lossy);
        format!("row {} ({file}:{})", row.index.saturating_add(1), row.line)
    }

    /// Whether both are read together: they are of one file, or of one case of it.
    pub fn is_read_with(&self, other: &Self) -> bool {
        self.test.path == other.test.path && self.test.part == other.test.part
    }
}

/// Whether judges are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judging {
    /// They are.
    Asked,
    /// They are not: their rules are not evaluated.
    LeftOut,
}

impl Judging {
    /// The choice that the settings of a run make.
    pub(crate) fn of(settings: &RunSettings) -> Self {
        if settings.no_judge {
            Self::LeftOut
        } else {
            Self::Asked
        }
    }
}

/// The problem in one line.
pub(crate) fn with_place(problem: &Diagnostic) -> String {
    problem
        .place()
        .map(|place| format!("{place}: "))
        .unwrap_or_default()
        + &problem.message
}

/// What has another meaning in files of newer versions, in one line each.
pub(crate) fn of_older_versions(problems: &[Diagnostic]) -> impl Iterator<Item = String> {
    problems
        .iter()
        .filter(|problem| problem.code == Code::Since14)
        .map(|problem| format!("{}: {}", problem.code, with_place(problem)))
}

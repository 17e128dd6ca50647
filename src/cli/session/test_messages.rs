//! Messages about the tests of a project.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ananke::diagnostic::{Diagnostic, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cli::select::ListedTest;

/// Which tests are listed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ListTests {
    /// The path of the project config (default: the one of `initialize`, else the nearest `ananke.config.yaml` above the first
    /// of `tests`, else above the working directory).
    #[serde(default)]
    pub(super) config: Option<String>,
    /// Files, directories, lines (`FILE:LINE`), and ids or names of tests (default: every test of the project).
    #[serde(default)]
    pub(super) tests: Vec<String>,
    /// The target under test, by its name or `agentId`.
    #[serde(default)]
    pub(super) target: Option<String>,
    /// An expression that selects tests, as for `ananke run --filter`.
    #[serde(default)]
    pub(super) filter: Option<String>,
    /// Only tests with one of these tags.
    #[serde(default)]
    pub(super) tags: Vec<String>,
    /// Only the tests with these ids.
    #[serde(default)]
    pub(super) ids: Vec<String>,
    /// Variables, as `ananke run --var` sets them.
    #[serde(default)]
    pub(super) variables: BTreeMap<String, String>,
}

/// The tests of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ListedTests {
    /// The path of the project config.
    pub(super) config: String,
    /// The tests, in the order in which they run. If there is an error, those of which nothing is wrong.
    pub(super) tests: Vec<FoundTest>,
    /// The errors and warnings. Nothing runs while there is an error.
    pub(super) problems: Vec<TestProblem>,
}

/// A test, with the keys of `ananke list --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FoundTest {
    #[serde(flatten)]
    pub(super) test: ListedTest,
    /// The full path of the file.
    pub(super) path: PathBuf,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ProblemSeverity {
    /// Nothing runs as long as there is one.
    Error,
    /// The tests run.
    Warning,
    /// The tests run, and nothing is to be fixed.
    Note,
}

/// A problem of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TestProblem {
    /// How bad it is.
    pub(super) severity: ProblemSeverity,
    /// The code, which `ananke explain` explains.
    pub(super) code: &'static str,
    /// The problem, on one line.
    pub(super) message: String,
    /// What to do, a sentence each.
    pub(super) help: Vec<String>,
    /// The file as messages show it, if the problem has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// The full path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<PathBuf>,
    /// The line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    /// The column, counted from 1 in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<u32>,
    /// The problem with its source lines, as `ananke check` prints it.
    pub(super) text: String,
}

impl TestProblem {
    /// A problem that is masked, and what is printed of it.
    pub(super) fn new(problem: &Diagnostic, text: String) -> Self {
        let place = problem.place();
        Self {
            severity: match problem.severity {
                Severity::Error => ProblemSeverity::Error,
                Severity::Warning => ProblemSeverity::Warning,
                Severity::Note => ProblemSeverity::Note,
            },
            code: problem.code.as_str(),
            message: problem.message.clone(),
            help: problem.help.clone(),
            path: problem.source.as_ref().map(|source| source.path.clone()),
            file: place.as_ref().map(|place| place.file.to_string()),
            line: place.as_ref().map(|place| place.line),
            column: place.as_ref().map(|place| place.column),
            text,
        }
    }
}

/// Which tests run, and how.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct RunTests {
    #[serde(flatten)]
    pub(super) tests: ListTests,
    /// The directory that the tests are recorded into.
    #[serde(default)]
    pub(super) record: Option<PathBuf>,
    /// The directory of the recordings that are replayed instead of asking agents.
    #[serde(default)]
    pub(super) replay: Option<PathBuf>,
    /// How many tests run at once (default: `parallel` of the config, else 1).
    #[serde(default)]
    pub(super) parallel: Option<usize>,
    /// Whether the first failing test ends the run.
    #[serde(default)]
    pub(super) fail_fast: bool,
}

/// The end of a test.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TestResult {
    /// The id of the request `tests/run`.
    pub(super) request: Value,
    /// The result, as a line of `ananke run --json` has it (`report.schema.json`): `id`, `status`, `assertions` and others.
    pub(super) result: Value,
    /// The test as `ananke run` prints it, with the rules that failed and the conversation.
    pub(super) text: String,
    /// What the client's own agent did after the end of its turn, which is no part of the test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<String>,
}

/// What came of `tests/run`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RunTestsResult {
    /// The counts and the exit code, as the last line of `ananke run --json` has them.
    pub(super) summary: Value,
    /// The warnings. An error is the error of the request.
    pub(super) problems: Vec<TestProblem>,
}

/// A project by its config.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjectName {
    /// The path of the project config (default: every config whose servers were started).
    #[serde(default)]
    pub(super) config: Option<String>,
}

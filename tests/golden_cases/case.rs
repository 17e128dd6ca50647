//! Golden cases: which there are, what a folder contains, and what each class promises.
//!
//! | file | meaning |
//! |---|---|
//! | `arguments` | the command line, one argument per line; without it `run` |
//! | `environment` | `NAME=value` per line, and nothing else is set; `[CASE]` is the directory that the case runs in |
//! | `answer.sse` | an agent responds to every request with it, and `AGENT` is the agent's URL |
//! | `server.answers` | what a server of MCP answers, which `server.sh` reads: it is copied to where the case runs |
//! | `live-only` | why the case cannot be recorded and replayed |
//! | `_gitignore`, `_history.jsonl` | copied under the names that git and the program would act on here |
//! | [`GOLDEN`], [`REPORTS`] | golden files, written by `ANANKE_UPDATE=1` |
//!
//! Everything else is the project under test. The class decides the exit code.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::workplace::Workplace;

/// The summary that GitHub would show with a job.
pub(crate) const SUMMARY: &str = "summary.md";
/// The snapshots that the program wrote or deleted.
pub(crate) const KEPT: &str = "kept";
/// Golden files, besides the reports. Of a stream there is the whole text, or its outline.
const GOLDEN: [&str; 6] = [
    "stdout",
    "stdout.outline",
    "stderr",
    "stderr.outline",
    SUMMARY,
    KEPT,
];
/// Golden files of reports, and the file extension of the reports that they are compared with. Of a page there is the outline.
pub(crate) const REPORTS: [(&str, &str); 6] = [
    ("junit.xml", ".xml"),
    ("report.json", ".json"),
    ("report.jsonl", ".jsonl"),
    ("report.md", ".md"),
    ("report.tap", ".tap"),
    ("report.html.outline", ".html"),
];
pub(crate) const LIVE_ONLY: &str = "live-only";
pub(crate) const ANSWER: &str = "answer.sse";
/// What the server of a case answers; its comments are in `server.sh`.
pub(crate) const SERVER_ANSWERS: &str = "server.answers";
const INPUT: [&str; 4] = ["arguments", "environment", ANSWER, LIVE_ONLY];

/// What is true of all cases of a directory.
#[derive(Clone, Copy)]
pub(crate) struct Class {
    name: &'static str,
    /// The exit code.
    pub(crate) exit: i32,
    /// What is true of the output, for people.
    pub(crate) promise: &'static str,
    /// The promise, as code.
    pub(crate) keeps: fn(stdout: &str, stderr: &str) -> bool,
    /// Whether tests run, so that they can be recorded.
    runs_tests: bool,
}

const CLASSES: [Class; 7] = [
    Class {
        name: "pass",
        exit: 0,
        promise: "no error on standard error",
        keeps: |_, stderr| !has_errors(stderr),
        runs_tests: true,
    },
    Class {
        name: "fail",
        exit: 1,
        promise: "tests ran, a failure is reported, and standard error has only notes",
        keeps: |stdout, stderr| {
            let words = [
                "failed",
                "error",
                "timeout",
                "fail the run",
                "fails the run",
            ];
            let is_note = |line: &str| line.starts_with("note: ");
            words.iter().any(|word| stdout.contains(word)) && stderr.lines().all(is_note)
        },
        runs_tests: true,
    },
    Class {
        name: "undecided",
        exit: 3,
        promise: "tests ran, one is undecided, and standard error is empty",
        keeps: |stdout, stderr| stdout.contains("undecided") && stderr.is_empty(),
        runs_tests: true,
    },
    Class {
        name: "not-shown",
        exit: 4,
        promise: "no rule failed, a trace does not show some, and standard error has only notes",
        keeps: |stdout, stderr| {
            stdout.contains("not shown") && stderr.lines().all(|line| line.starts_with("note: "))
        },
        runs_tests: true,
    },
    Class {
        name: "broken",
        exit: 1,
        promise: "errors on standard error, and nothing ran",
        keeps: |stdout, stderr| stdout.is_empty() && has_errors(stderr),
        runs_tests: false,
    },
    Class {
        name: "unstarted",
        exit: 1,
        promise: "what the tests need did not start: errors on standard error, and no test passes",
        keeps: |stdout, stderr| stdout.contains("not run: ") && has_errors(stderr),
        runs_tests: false,
    },
    Class {
        name: "usage",
        exit: 2,
        promise: "an error on standard error, and nothing ran",
        keeps: |stdout, stderr| stdout.is_empty() && has_errors(stderr),
        runs_tests: false,
    },
];

/// Whether a line begins with `error`, coloured or not.
fn has_errors(stderr: &str) -> bool {
    static ERROR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^(?:\x1b\[[0-9;]*m)*error\b").expect("the pattern is valid")
    });
    ERROR.is_match(stderr)
}

/// One folder of a class.
pub(crate) struct Case {
    pub(crate) class: Class,
    name: String,
    pub(crate) folder: PathBuf,
}

impl Case {
    /// The name of its test.
    pub(crate) fn title(&self) -> String {
        format!("golden::{}::{}", self.class.name, self.name)
    }

    /// The command line.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let arguments = self.lines("arguments");
        if arguments.is_empty() {
            vec!["run".to_owned()]
        } else {
            arguments
        }
    }

    /// The lines of one of its files; none if there is no such file.
    pub(crate) fn lines(&self, file: &str) -> Vec<String> {
        let text = fs::read_to_string(self.folder.join(file)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Whether an agent outside takes time, by HTTP or as a program: reports differ in their times.
    pub(crate) fn has_real_time(&self) -> bool {
        let config = fs::read_to_string(self.folder.join("ananke.config.yaml")).unwrap_or_default();
        self.folder.join(ANSWER).exists()
            || ["type: command", "type: mcp"]
                .iter()
                .any(|program| config.contains(program))
    }

    /// Whether it is to be recorded and replayed.
    pub(crate) fn is_recordable(&self) -> bool {
        let arguments = self.arguments();
        let runs = self.class.runs_tests && ["run", "test"].contains(&&*arguments[0]);
        let excluded = ["--dry-run", "--record", "--replay"];
        runs && !self.folder.join(LIVE_ONLY).exists()
            && !arguments
                .iter()
                .any(|argument| excluded.contains(&&**argument))
    }
}

/// The folder of the classes.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// Every case under `root`, and what is wrong with the folders.
pub(crate) fn all(root: &Path) -> (Vec<Case>, Vec<String>) {
    let (mut cases, mut problems) = (Vec::new(), Vec::new());
    for class_name in names(root) {
        let Some(class) = CLASSES.into_iter().find(|class| class.name == class_name) else {
            problems.push(format!(
                "{class_name}: not a class of cases, they are {:?}",
                CLASSES.map(|c| c.name)
            ));
            continue;
        };
        for name in names(&root.join(&class_name)) {
            let folder = root.join(&class_name).join(&name);
            if !folder.is_dir() {
                problems.push(format!(
                    "{class_name}/{name}: a file that belongs to no case"
                ));
            } else if names(&folder).iter().all(|file| is_golden(file)) {
                problems.push(format!("{class_name}/{name}: golden files without a case"));
            } else {
                cases.push(Case {
                    class,
                    name,
                    folder,
                });
            }
        }
    }
    (cases, problems)
}

/// The names in `folder`, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry
            .expect("a folder of cases can be read")
            .file_name()
            .into_string()
            .expect("names are UTF-8")
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// Whether a file at the top of a case is read by the test itself, and so is no part of the project under test.
pub(crate) fn is_of_the_test(name: &str) -> bool {
    is_golden(name) || INPUT.contains(&name)
}

fn is_golden(name: &str) -> bool {
    GOLDEN.contains(&name) || REPORTS.iter().any(|(golden, _)| *golden == name)
}

/// What is wrong with [`all`], of stray files and of cases without a project.
pub(crate) fn notices_stray_files() -> String {
    let workplace = Workplace::new();
    for path in [
        "pass/good/arguments",
        "pass/left-behind/stdout",
        "pass/stray",
        "unknown/case/arguments",
    ] {
        let path = workplace.path().join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder"))
            .expect("a folder can be made");
        fs::write(path, "").expect("a file can be written");
    }
    let (cases, problems) = all(workplace.path());
    let found: Vec<String> = cases.iter().map(Case::title).collect();
    if found == ["golden::pass::good"] && problems.len() == 3 {
        return String::new();
    }
    format!("found {found:?} and {problems:#?}")
}

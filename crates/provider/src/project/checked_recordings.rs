//! The files below the directory of recordings that cannot be read, that have a key, and that no test replays.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::model_recording::ModelRecording;
use crate::model_setup::ModelSetup;
use crate::problem::{ModelProblem, ModelProblemKind};
use crate::provider_keys::mask_value;
use crate::run_recordings::RunRecordings;
use ananke_base::context::CaseKey;
use ananke_recording::recording_path;
use ananke_trace::outcome::RECORD_MODELS;

/// The extension of recordings.
const EXTENSION: &str = "jsonl";

/// The beginning of a recording of an agent, which may be in the same directory.
const OF_AGENT: &str = "{\"recording\":{";

/// The deepest directory in which recordings are looked for.
const DEEPEST: usize = 32;

/// The files of a project that need a look.
#[derive(Debug, Default)]
pub struct CheckedRecordings {
    /// The errors: files that cannot be read, and keys in them.
    pub problems: Vec<ModelProblem>,
    /// The files of no test, as messages name them.
    pub orphaned: Vec<String>,
}

/// A project as its recordings name it.
pub struct RecordedProject<'p> {
    /// The names are those of directories.
    pub models: &'p [ModelSetup],
    /// The ids of all tests; `None` if only some are known.
    pub tests: Option<BTreeSet<String>>,
}

impl RunRecordings {
    /// The errors in all files, and those that no test of the project replays.
    pub fn check(&self, project: &RecordedProject<'_>) -> CheckedRecordings {
        let mut checked = CheckedRecordings::default();
        for path in self.all_files() {
            self.check_file(&path, project, &mut checked);
        }
        checked
    }

    fn all_files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = vec![(self.folder.clone(), 0)];
        while let Some((folder, depth)) = open.pop() {
            for path in self.files.list(&folder) {
                if path.extension() == Some(OsStr::new(EXTENSION)) {
                    found.push(path);
                } else if depth < DEEPEST && self.files.is_directory(&path) && !path.is_symlink() {
                    // A link could lead back to where the search began.
                    open.push((path, depth + 1));
                }
            }
        }
        found.sort();
        found
    }

    fn check_file(
        &self,
        path: &Path,
        project: &RecordedProject<'_>,
        checked: &mut CheckedRecordings,
    ) {
        let shown = self.shown_file(path);
        let text = match ModelRecording::text_of(&self.files, path, &shown) {
            Ok(Some(text)) if !text.starts_with(OF_AGENT) => text,
            // A file may be removed while others are read.
            Ok(_) => return,
            Err(problem) => {
                checked.problems.push(problem.help(remedy_of_file()));
                return;
            }
        };
        // Keys come first, because a file that nothing can replay has them all the same.
        if let Some(line) = line_with_key(&text) {
            let message = format!("{shown}:{line}: this line has the key of a provider");
            let problem = ModelProblem::new(ModelProblemKind::RecordedSecret, message);
            checked.problems.push(problem.help(
                format!("revoke the key, and record the test again, which masks it: ananke run {RECORD_MODELS}"),
            ));
        }
        match ModelRecording::read_text(&text, &shown) {
            Err(problem) => checked.problems.push(problem.help(remedy_of_file())),
            Ok(recording) => {
                if self.is_orphaned(path, &recording.lane, project) {
                    checked.orphaned.push(shown);
                }
            }
        }
    }

    /// Whether no test of the project replays this file, in which `lane` is recorded.
    fn is_orphaned(&self, path: &Path, lane: &str, project: &RecordedProject<'_>) -> bool {
        let Some(tests) = &project.tests else {
            return false;
        };
        let (test, run, attempt) = test_of_lane(lane, tests);
        if !tests.contains(test) {
            return true;
        }
        let key = CaseKey {
            test: test.to_owned(),
            run,
            attempt,
        };
        for model in project.models {
            if recording_path(&self.folder.join(&model.name), &key) == path {
                return false;
            }
        }
        true
    }
}

/// The test, run and attempt that a lane is of. The first attempt of the first run has the id of its test alone.
fn test_of_lane<'l>(lane: &'l str, tests: &BTreeSet<String>) -> (&'l str, u32, u32) {
    if !tests.contains(lane)
        && let Some((test, numbers)) = lane.rsplit_once(" (")
        && let Some((run, attempt)) = numbers.trim_end_matches(')').split_once('.')
        && let Ok(run) = run.parse()
        && let Ok(attempt) = attempt.parse()
    {
        return (test, run, attempt);
    }
    (lane, 1, 1)
}

/// The number of the first line with a key.
fn line_with_key(text: &str) -> Option<usize> {
    for (number, line) in (1..).zip(text.lines()) {
        // Texts are read before they are looked at: the escape of a line break hides where a word begins.
        let mut value = serde_json::from_str(line).unwrap_or(Value::String(line.to_owned()));
        if mask_value(&mut value) > 0 {
            return Some(number);
        }
    }
    None
}

fn remedy_of_file() -> String {
    format!("remove it, or record it again: ananke run {RECORD_MODELS}")
}

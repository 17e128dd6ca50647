//! The answers of earlier runs, for tests that are evaluated again: of each test those of the newest run that ran it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::{KeptRun, KeptRunError, RUNS, kept_runs};
use ananke_recording::{EarlierAnswers, KeptRecording};

/// The kept runs of a project.
#[derive(Debug, Default)]
pub struct EarlierRuns {
    /// The runs that can be read, the newest first.
    runs: Vec<KeptRun>,
    /// The place of the newest run that ran a test, and its place among the tests of that run, by its id.
    tests: HashMap<String, (usize, usize)>,
    /// The problems of the others, one sentence each.
    pub problems: Vec<String>,
}

impl EarlierRuns {
    /// The kept runs of the project in `project`.
    pub fn of(project: &Path) -> Self {
        let mut earlier = Self::default();
        for path in kept_runs(project) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let shown = format!("{RUNS}/{name}");
            match KeptRun::open(&path, &shown) {
                Ok(run) => earlier.add(run),
                Err(error) => earlier.problems.push(format!("`{shown}` {error}")),
            }
        }
        earlier
    }

    fn add(&mut self, run: KeptRun) {
        let place = self.runs.len();
        for (index, test) in run.tests.iter().enumerate() {
            // A test that was skipped says nothing of what it received before.
            if !test.is_skipped() {
                self.tests.entry(test.id.clone()).or_insert((place, index));
            }
        }
        self.runs.push(run);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}

impl EarlierAnswers for EarlierRuns {
    fn recording(&self, id: &str, run: u32) -> Result<Arc<KeptRecording>, String> {
        let Some((place, index)) = self.tests.get(id) else {
            return Err("it is in no kept run".to_owned());
        };
        let kept = &self.runs[*place];
        kept.recording(&kept.tests[*index], run)
            .map_err(|error| match error {
                KeptRunError::NotKept(why) => format!("its answers are not kept: {why}"),
                error => format!("`{}` {error}", kept.shown),
            })
    }
}

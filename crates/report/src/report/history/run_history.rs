//! The durations of the tests of a project in its last runs.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use super::entry::EntryStart;
use super::file::{MOST_BYTES, file_end};
use ananke_trace::outcome::Status;

/// The number of the last passed runs of a test that make its usual duration.
const USUAL_OF: usize = 10;

/// The durations of a project's tests in its last runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunHistory {
    /// The durations of the runs that a test passed in, in milliseconds, by its id; the newest are last.
    passed: HashMap<String, Vec<u64>>,
}

impl RunHistory {
    /// The history of the project in `folder`, as far as it can be read.
    pub fn read(folder: &Path) -> Self {
        Self::read_without(folder, None)
    }

    /// The same without the runs of this commit.
    pub fn read_without(folder: &Path, commit: Option<&str>) -> Self {
        let mut history = Self::default();
        for line in file_end(folder, MOST_BYTES)
            .bytes
            .split(|byte| *byte == b'\n')
        {
            let Ok(entry) = serde_json::from_slice::<EntryStart>(line) else {
                continue;
            };
            if commit.is_some() && entry.commit.as_deref() == commit {
                continue;
            }
            let has_passed = entry.status == Status::Passed;
            let Some(duration) = entry.duration_ms.filter(|_| has_passed) else {
                continue;
            };
            match history.passed.get_mut(&*entry.id) {
                Some(durations) => durations.push(duration),
                None => _ = history.passed.insert(entry.id.into_owned(), vec![duration]),
            }
        }
        history
    }

    /// The time that the test `id` usually takes: the median of its last passed runs, on the wall clock; `None` if it
    /// never passed.
    pub fn usual_duration(&self, id: &str) -> Option<Duration> {
        let passed = self.passed.get(id)?;
        let mut last = passed[passed.len().saturating_sub(USUAL_OF)..].to_vec();
        last.sort_unstable();
        last.get(last.len() / 2).copied().map(Duration::from_millis)
    }
}

//! The history of the tests of a project, read from the end of its file: the durations of their last runs, and their statuses
//! when they ran last.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::Duration;

use super::history_entry::EntryStart;
use ananke_trace::outcome::{EarlierStatuses, Status};

/// The path of the file, relative to the directory of the config.
pub const HISTORY: &str = ".ananke/history.jsonl";

/// The largest size of the file, in bytes.
pub(super) const MOST_BYTES: u64 = 8 << 20;

/// The end of the file.
#[derive(Debug, Default)]
pub(super) struct FileEnd {
    /// Its bytes, from the beginning of a line.
    pub(super) bytes: Vec<u8>,
    /// Whether the file has more before them.
    pub(super) has_more: bool,
}

/// The last bytes of the file, about as many as `most`; nothing if it cannot be read.
pub(super) fn file_end(folder: &Path, most: u64) -> FileEnd {
    let path = folder.join(HISTORY);
    // A pipe would wait for its writer.
    let length = match path.metadata() {
        Ok(found) if found.is_file() => found.len(),
        _ => return FileEnd::default(),
    };
    let read = || {
        let mut file = File::open(&path)?;
        let skipped = length.saturating_sub(most);
        file.seek(SeekFrom::Start(skipped))?;
        let mut bytes = Vec::new();
        file.take(2 * most).read_to_end(&mut bytes)?;
        let has_more = skipped > 0;
        if has_more {
            let first = bytes.iter().position(|byte| *byte == b'\n');
            bytes.drain(..first.map_or(bytes.len(), |end| end + 1));
        }
        Ok(FileEnd { bytes, has_more })
    };
    let read: io::Result<FileEnd> = read();
    read.unwrap_or_default()
}

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

/// The number of bytes of the file in which the last run is looked for first.
const FIRST_BYTES: u64 = 64 << 10;

/// The status of each test of the project in `folder` when it last ran to its end against the target that it runs against now:
/// another agent says nothing of this one. `tests` has the target of each test by its id. The history is read from its end until
/// these tests are found, since the last run has most of them.
pub fn last_statuses(folder: &Path, tests: &BTreeMap<String, String>) -> EarlierStatuses {
    let targets: HashSet<&str> = tests.values().map(String::as_str).collect();
    let mut most = FIRST_BYTES;
    loop {
        let mut last = HashMap::new();
        let mut missing = tests.len();
        let end = file_end(folder, most);
        for line in end.bytes.rsplit(|byte| *byte == b'\n') {
            let Ok(entry) = serde_json::from_slice::<EntryStart>(line) else {
                continue;
            };
            let own = tests.get(&*entry.id);
            // A test that is not selected now shows nevertheless that there was a run.
            let counts = match own {
                Some(target) => *target == entry.target,
                None => targets.contains(&*entry.target),
            };
            if counts && !last.contains_key(&*entry.id) {
                missing -= usize::from(own.is_some());
                last.insert(entry.id.into_owned(), entry.status);
            }
            if missing == 0 {
                break;
            }
        }
        if missing == 0 || !end.has_more || most >= MOST_BYTES {
            return last.into_iter().collect();
        }
        most *= 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::history::HISTORY;
    use ananke_trace::outcome::{Status, StatusChange};

    #[test]
    fn a_test_that_ran_long_ago_is_found_and_a_new_one_ends_with_the_file() {
        let folder = std::env::temp_dir().join(format!("ananke-last-{}", std::process::id()));
        std::fs::create_dir_all(folder.join(".ananke")).unwrap();
        let line = |id: &str, status: &str| {
            format!("{{\"run\":\"1\",\"id\":\"{id}\",\"target\":\"a\",\"status\":\"{status}\"}}\n")
        };
        let others: String = (0..3000)
            .map(|index| line(&format!("t{index}"), "passed"))
            .collect();
        let text = line("old", "failed") + &others + &line("last", "failed");
        assert!(text.len() as u64 > FIRST_BYTES, "{}", text.len());
        std::fs::write(folder.join(HISTORY), text).unwrap();
        let of = |ids: &[&str]| last_statuses(&folder, &against("a", ids));
        let known = Some(StatusChange::Known);
        assert_eq!(of(&["last"]).change("last", Status::Failed), known);
        assert_eq!(of(&["last", "old"]).change("old", Status::Failed), known);
        let unknown = of(&["old", "unknown"]);
        let new = Some(StatusChange::New);
        assert_eq!(unknown.change("old", Status::Failed), known);
        assert_eq!(unknown.change("unknown", Status::Failed), new);
        std::fs::remove_dir_all(folder).unwrap();
    }

    fn against(target: &str, ids: &[&str]) -> BTreeMap<String, String> {
        let test = |id: &&str| ((*id).to_owned(), target.to_owned());
        ids.iter().map(test).collect()
    }

    #[test]
    fn a_run_against_another_target_changes_nothing_for_this_one() {
        let folder = std::env::temp_dir().join(format!("ananke-targets-{}", std::process::id()));
        std::fs::create_dir_all(folder.join(".ananke")).unwrap();
        let line = |target: &str, status: &str| {
            format!(
                "{{\"run\":\"1\",\"id\":\"t\",\"target\":\"{target}\",\"status\":\"{status}\"}}\n"
            )
        };
        let text = line("a", "passed") + &line("b", "failed");
        std::fs::write(folder.join(HISTORY), text).unwrap();
        let change = |target: &str, status| {
            last_statuses(&folder, &against(target, &["t"])).change("t", status)
        };
        assert_eq!(change("a", Status::Passed), None);
        assert_eq!(change("a", Status::Failed), Some(StatusChange::New));
        assert_eq!(change("b", Status::Passed), Some(StatusChange::Fixed));
        assert_eq!(change("b", Status::Failed), Some(StatusChange::Known));
        assert_eq!(
            change("c", Status::Failed),
            None,
            "no run against it is known"
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}

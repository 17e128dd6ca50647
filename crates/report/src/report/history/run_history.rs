//! The durations and statuses of the tests of a project in its last runs, and which of the runs are not kept.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use super::history_file::{FileEnd, MOST_BYTES, file_end};
use super::history_line::{HistoryEntry, HistoryLine};
use ananke_trace::outcome::{EarlierStatuses, Status};

/// The entry of a test whose agent was asked in `line`: a replay has the times and the statuses of another run.
fn live_entry(line: &[u8]) -> Option<HistoryEntry<'_>> {
    match HistoryLine::read(line)? {
        HistoryLine::Test(test) if test.kind.is_live() => Some(test),
        _ => None,
    }
}

/// The last bytes of the history in `folder`; nothing if it cannot be read.
fn known_end(folder: &Path, most: u64) -> FileEnd {
    file_end(folder, most).unwrap_or_default()
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
        for line in known_end(folder, MOST_BYTES).lines() {
            let Some(entry) = live_entry(line) else {
                continue;
            };
            if commit.is_some() && entry.commit.as_deref() == commit {
                continue;
            }
            let (Status::Passed, Some(duration)) = (entry.status, entry.duration_ms) else {
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
        let end = known_end(folder, most);
        for line in end.lines().rev() {
            let Some(entry) = live_entry(line) else {
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

/// The number of runs of the project in `folder` that began after the one that is kept in the file `kept`, and are not kept. 0 if
/// that run is not on record.
pub fn later_runs_not_kept(folder: &Path, kept: &str) -> usize {
    let mut later = 0;
    for line in known_end(folder, MOST_BYTES).lines().rev() {
        let Some(HistoryLine::Began(run)) = HistoryLine::read(line) else {
            continue;
        };
        match run.kept {
            None => later += 1,
            Some(name) if name == kept => return later,
            Some(_) => {}
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::history::HISTORY;
    use ananke_trace::outcome::{Status, StatusChange};

    #[test]
    fn a_test_that_ran_long_ago_is_found_and_a_new_one_ends_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::create_dir(folder.join(".ananke")).unwrap();
        let line = |id: &str, status: &str| {
            format!("{{\"run\":\"1\",\"id\":\"{id}\",\"target\":\"a\",\"status\":\"{status}\"}}\n")
        };
        let others: String = (0..3000)
            .map(|index| line(&format!("t{index}"), "passed"))
            .collect();
        let text = line("old", "failed") + &others + &line("last", "failed");
        assert!(text.len() as u64 > FIRST_BYTES, "{}", text.len());
        std::fs::write(folder.join(HISTORY), text).unwrap();
        let of = |ids: &[&str]| last_statuses(folder, &against("a", ids));
        let known = Some(StatusChange::Known);
        assert_eq!(of(&["last"]).change("last", Status::Failed), known);
        assert_eq!(of(&["last", "old"]).change("old", Status::Failed), known);
        let unknown = of(&["old", "unknown"]);
        let new = Some(StatusChange::New);
        assert_eq!(unknown.change("old", Status::Failed), known);
        assert_eq!(unknown.change("unknown", Status::Failed), new);
    }

    #[test]
    fn the_runs_of_one_commit_can_be_left_aside() {
        let folder = tempfile::tempdir().unwrap();
        let line = |commit: &str, took: u64| {
            format!(
                "{{\"run\":\"1\"{commit},\"id\":\"a\",\"status\":\"passed\",\"duration_ms\":{took}}}\n"
            )
        };
        let (old, new) = (",\"commit\":\"old\"", ",\"commit\":\"new\"");
        let lines = [line("", 10), line(old, 20), line(new, 90), line(new, 91)];
        std::fs::create_dir(folder.path().join(".ananke")).unwrap();
        std::fs::write(folder.path().join(HISTORY), lines.concat()).unwrap();
        for (commit, expected) in [(None, 90), (Some("new"), 20), (Some("other"), 90)] {
            let history = RunHistory::read_without(folder.path(), commit);
            let usual = history.usual_duration("a");
            assert_eq!(usual, Some(Duration::from_millis(expected)), "{commit:?}");
        }
    }

    fn against(target: &str, ids: &[&str]) -> BTreeMap<String, String> {
        let test = |id: &&str| ((*id).to_owned(), target.to_owned());
        ids.iter().map(test).collect()
    }

    #[test]
    fn a_run_against_another_target_changes_nothing_for_this_one() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::create_dir(folder.join(".ananke")).unwrap();
        let line = |target: &str, status: &str| {
            format!(
                "{{\"run\":\"1\",\"id\":\"t\",\"target\":\"{target}\",\"status\":\"{status}\"}}\n"
            )
        };
        let text = line("a", "passed") + &line("b", "failed");
        std::fs::write(folder.join(HISTORY), text).unwrap();
        let change = |target: &str, status| {
            last_statuses(folder, &against(target, &["t"])).change("t", status)
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
    }
}

//! The results of a project's tests in its last runs, in `.ananke/history.jsonl` next to the config: one line per test and
//! run.
//!
//! **Invariant:** a history that cannot be written fails no run; a line that cannot be read is skipped. At most
//! 50 runs and 8 MiB are kept, the newest.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::report::own_folder::{FOLDER, make_own_folder};
use crate::report::reporter::Reporter;
use ananke_base::context::{At, write_file};
use ananke_base::source::reason;
use ananke_base::text::truncate;
use ananke_engine::run::RunEvent;
use ananke_trace::outcome::{EarlierStatuses, FailureReason, Outcome, Status};
use ananke_trace::redact::Sealed;
use ananke_trace::trace::Tokens;

/// The path of the file, relative to the directory of the config.
pub const HISTORY: &str = ".ananke/history.jsonl";

/// The number of runs that are kept.
const MOST_RUNS: usize = 50;

/// The largest size of the file, in bytes.
const MOST_BYTES: u64 = 8 << 20;

/// The most bytes of each text of a reason.
pub const MOST_OF_REASON: usize = 300;

/// The number of bytes of the file in which the last run is looked for first.
const FIRST_BYTES: u64 = 64 << 10;

/// The number of bytes that are left when older runs go because the file is too large: not every run has to rewrite it.
const LEFT_BYTES: usize = 6 << 20;

/// The number of bytes that are collected before they are written.
const COLLECTED: usize = 64 << 10;

/// The number of the last passed runs of a test that make its usual duration.
const USUAL_OF: usize = 10;

/// The number of attempts to take the lock of another run, and the time between them.
const TRIES: usize = 40;
const BETWEEN_TRIES: Duration = Duration::from_millis(25);

/// The name of a run that this program begins at `unix_ms`: later runs have greater names.
pub fn run_name(unix_ms: u64) -> String {
    format!("{unix_ms:015}-{}", std::process::id())
}

/// One test of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The name of the run; later runs have greater names.
    pub run: String,
    /// The commit that was tested, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The id of the test.
    pub id: String,
    /// The status with which it ended.
    pub status: Status,
    /// The time that all its attempts took on the wall clock, in milliseconds; `None` if it did not begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The tokens that it used; `None` if they are not known, or not all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The reason that it did not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<HistoryReason>,
}

/// The key that equal failures share, as it is kept: each of its texts has at most [`MOST_OF_REASON`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "KeptReason")]
pub struct HistoryReason {
    /// The rule's path in an assert block, or the kind of a problem.
    pub kind: String,
    /// The tool that it is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The place of the first value that differs, if values differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The subject of the reason, if no path shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// A reason in the forms in which it was ever written.
#[derive(Deserialize)]
#[serde(untagged)]
enum KeptReason {
    /// Its kind alone.
    Kind(String),
    Whole {
        kind: String,
        tool: Option<String>,
        path: Option<String>,
        about: Option<String>,
    },
}

impl From<KeptReason> for HistoryReason {
    fn from(kept: KeptReason) -> Self {
        let (kind, tool, path, about) = match kept {
            KeptReason::Kind(kind) => (kind, None, None, None),
            KeptReason::Whole {
                kind,
                tool,
                path,
                about,
            } => (kind, tool, path, about),
        };
        Self {
            kind,
            tool,
            path,
            about,
        }
    }
}

impl From<FailureReason> for HistoryReason {
    fn from(reason: FailureReason) -> Self {
        let FailureReason {
            kind,
            tool,
            path,
            about,
        } = reason;
        let bounded = |text: String| truncate::bytes(&text, MOST_OF_REASON).into_owned();
        Self {
            kind: bounded(kind.into_owned()),
            tool: tool.map(bounded),
            path: path.map(bounded),
            about: about.map(bounded),
        }
    }
}

impl HistoryEntry {
    fn of(outcome: &Outcome, run: &str, commit: Option<&str>, duration: Option<Duration>) -> Self {
        let status = outcome.status();
        let usage = outcome.spent().1.usage;
        let sum = || Some(usage.input.whole()? + usage.output.whole()?);
        Self {
            run: run.to_owned(),
            commit: commit.map(str::to_owned),
            id: outcome.test.id.clone(),
            status,
            duration_ms: duration.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            tokens: Tokens::whole(usage.total)
                .or_else(sum)
                .filter(|tokens| *tokens > 0),
            reason: outcome.reason().map(HistoryReason::from),
        }
    }
}

/// The part of an entry that is needed to begin a run.
#[derive(Deserialize)]
struct EntryStart<'a> {
    #[serde(borrow, default)]
    commit: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Cow<'a, str>,
    status: Status,
    #[serde(default)]
    duration_ms: Option<u64>,
}

/// How long a project's tests took in its last runs.
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
        for line in last_bytes(folder, MOST_BYTES).split(|byte| *byte == b'\n') {
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

/// The status of each test of the project in `folder` when it last ran to its end. The history is read from its end until
/// the tests `ids` are found, since the last run has most of them.
pub fn last_statuses(folder: &Path, ids: &BTreeSet<String>) -> EarlierStatuses {
    let mut most = FIRST_BYTES;
    loop {
        let (mut last, mut found) = (HashMap::new(), 0);
        for line in last_bytes(folder, most).rsplit(|byte| *byte == b'\n') {
            let Ok(EntryStart { id, status, .. }) = serde_json::from_slice(line) else {
                continue;
            };
            if !last.contains_key(&*id) {
                found += usize::from(ids.contains(&*id));
                last.insert(id.into_owned(), status);
            }
            if found == ids.len() {
                break;
            }
        }
        if found == ids.len() || most >= MOST_BYTES {
            return last.into_iter().collect();
        }
        most *= 4;
    }
}

/// The last bytes of the file, about as many as `most`, from the beginning of a line; nothing if it cannot be read.
fn last_bytes(folder: &Path, most: u64) -> Vec<u8> {
    let path = folder.join(HISTORY);
    // A pipe would wait for its writer.
    let length = match path.metadata() {
        Ok(found) if found.is_file() => found.len(),
        _ => return Vec::new(),
    };
    let read = || {
        let mut file = File::open(&path)?;
        let skipped = length.saturating_sub(most);
        file.seek(SeekFrom::Start(skipped))?;
        let mut bytes = Vec::new();
        file.take(2 * most).read_to_end(&mut bytes)?;
        if skipped > 0 {
            let first = bytes.iter().position(|byte| *byte == b'\n');
            bytes.drain(..first.map_or(bytes.len(), |end| end + 1));
        }
        Ok(bytes)
    };
    let read: io::Result<Vec<u8>> = read();
    read.unwrap_or_default()
}

/// Writes the history of a run, after those before it.
pub struct HistoryReport {
    folder: PathBuf,
    /// The name of the run.
    run: String,
    commit: Option<String>,
    /// The moments at which the tests began that have not ended.
    began: HashMap<String, At>,
    /// The time that the tests took that have ended and are not reported yet.
    took: HashMap<String, Duration>,
    collected: Vec<u8>,
    /// The first error; nothing is written after it.
    error: Option<io::Error>,
    /// The stream for the warning that it cannot be written.
    warnings: Box<dyn Write + Send>,
}

impl HistoryReport {
    /// A history of the project in `folder`, of the run that is called `run`. Its warnings go to `warnings`.
    pub fn new(folder: PathBuf, run: String, warnings: Box<dyn Write + Send>) -> Self {
        Self {
            folder,
            run,
            commit: None,
            began: HashMap::new(),
            took: HashMap::new(),
            collected: Vec::new(),
            error: None,
            warnings,
        }
    }

    fn add(&mut self, outcome: &Outcome) {
        let took = self.took.remove(&outcome.test.id);
        if outcome.status() == Status::Skipped || self.error.is_some() {
            return;
        }
        let entry = HistoryEntry::of(outcome, &self.run, self.commit.as_deref(), took);
        // It has texts and numbers only, and goes into memory.
        let _cannot_fail = serde_json::to_writer(&mut self.collected, &entry);
        self.collected.push(b'\n');
        if self.collected.len() >= COLLECTED {
            self.write();
        }
    }

    /// Appends what is collected.
    fn write(&mut self) {
        let collected = std::mem::take(&mut self.collected);
        if collected.is_empty() || self.error.is_some() {
            return;
        }
        if make_own_folder(&self.folder).is_err() {
            // The beginning of the run says so.
            return;
        }
        let append = || {
            let _lock = lock(&self.folder, File::try_lock_shared);
            let path = self.folder.join(HISTORY);
            if path.metadata().is_ok_and(|found| !found.is_file()) {
                return Err(io::Error::other("it is not a file"));
            }
            let mut file = File::options().append(true).create(true).open(path)?;
            file.write_all(&collected)
        };
        self.error = append().err();
    }
}

/// The lock of the history in `folder`, taken with `take`, until it is dropped; `None` if another program does not let it go, or
/// the file system has no locks.
fn lock(folder: &Path, take: fn(&File) -> Result<(), TryLockError>) -> Option<File> {
    let path = folder.join(FOLDER).join("history.lock");
    let mut options = File::options();
    let file = options.append(true).create(true).open(path).ok()?;
    for _ in 0..TRIES {
        match take(&file) {
            Ok(()) => return Some(file),
            Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN_TRIES),
            Err(TryLockError::Error(_)) => return None,
        }
    }
    None
}

/// Removes the oldest runs if there are too many.
fn trim(folder: &Path) -> io::Result<()> {
    #[derive(Deserialize)]
    struct RunOf<'a> {
        #[serde(borrow)]
        run: Cow<'a, str>,
    }
    let path = folder.join(HISTORY);
    let length = fs::metadata(&path)?.len();
    // What another run appends meanwhile would be lost.
    let Some(_lock) = lock(folder, File::try_lock) else {
        return Ok(());
    };
    let bytes = last_bytes(folder, MOST_BYTES);
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut runs = BTreeSet::new();
    let mut kept = 0;
    let is_too_large = length > MOST_BYTES;
    let mut start: &[u8] = b"\n";
    // The runs at the end are the newest: of two at once one may be a little older.
    let first = lines.iter().rposition(|line| {
        // A line begins with its run, and most are of the same one as the line before.
        if !line.starts_with(start)
            && let Ok(RunOf { run }) = serde_json::from_slice::<RunOf>(line)
        {
            let end = line.iter().position(|byte| *byte == b',');
            if let Some(end) = end.filter(|_| line.starts_with(b"{\"run\":\"")) {
                start = &line[..=end];
            }
            runs.insert(run.into_owned());
        }
        kept += line.len();
        runs.len() > MOST_RUNS || (is_too_large && kept > LEFT_BYTES)
    });
    match first {
        Some(first) => write_file(&path, &lines[first + 1..].concat()),
        None => Ok(()),
    }
}

impl Reporter for HistoryReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        match &**event {
            RunEvent::RunStarted { facts, .. } => self.commit.clone_from(&facts.commit),
            RunEvent::CaseStarted { id, at } => _ = self.began.insert(id.clone(), *at),
            RunEvent::CaseEnded { id, at, .. } => {
                if let Some(began) = self.began.remove(id) {
                    let took = at.0.saturating_sub(began.0);
                    self.took.insert(id.clone(), Duration::from_micros(took));
                }
            }
            RunEvent::CaseFinished(outcome) => self.add(outcome),
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.write();
        let trimmed = match self.error.take() {
            Some(error) => Err(error),
            None => trim(&self.folder),
        };
        match trimmed {
            // There is no such file, or no directory for it: the memory of the last run says that.
            Err(error)
                if !matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                let why = reason(&error);
                // A closed standard error ends the printing, nothing else.
                let _lost = writeln!(
                    self.warnings,
                    "warning: `{HISTORY}` cannot be written ({why}): the durations of this run are not remembered"
                );
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_trace::outcome::{ErrorKind, Problem, TestEnd, TestIdentity};
    use ananke_trace::redact::Redactor;
    use ananke_trace::trace::Usage;

    fn project(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("ananke-history-{}-{name}", std::process::id()));
        let _is_new = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn outcome(id: &str) -> Outcome {
        Outcome {
            test: TestIdentity {
                id: id.to_owned(),
                ..TestIdentity::default()
            },
            ..Outcome::default()
        }
    }

    /// A test with a hook that failed.
    fn broken(id: &str, message: String) -> Outcome {
        let mut broken = outcome(id);
        broken.verdict.end = TestEnd::Problem(Problem {
            kind: ErrorKind::Hook,
            message,
            help: None,
        });
        broken
    }

    /// Runs the test `a` for so many milliseconds.
    fn run(folder: &Path, name: &str, took: u64, outcome: Outcome) {
        run_masked(folder, name, took, outcome, &Redactor::default());
    }

    /// The same, of a run that masks what `redactor` knows.
    fn run_masked(folder: &Path, name: &str, took: u64, outcome: Outcome, redactor: &Redactor) {
        let mut report = Box::new(HistoryReport::new(
            folder.to_owned(),
            name.to_owned(),
            Box::new(io::sink()),
        ));
        let seal = |event| redactor.seal(event);
        let (id, at) = (outcome.test.id.clone(), At::default());
        let ended = RunEvent::CaseEnded {
            id: id.clone(),
            at: at.plus(Duration::from_millis(took)),
            status: outcome.status(),
            duration_us: None,
            fails_the_run: false,
            usage: Usage::default(),
            failed: None,
        };
        report
            .event(&seal(RunEvent::CaseStarted { id, at }))
            .unwrap();
        report.event(&seal(ended)).unwrap();
        report.event(&seal(outcome.into())).unwrap();
        report.finish().unwrap();
    }

    #[test]
    fn the_usual_duration_is_the_median_of_the_last_passed_runs() {
        let folder = project("median");
        assert_eq!(RunHistory::read(&folder), RunHistory::default());
        // The first are too old to count.
        for (index, took) in [9000, 9000, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
            .iter()
            .enumerate()
        {
            run(&folder, &format!("{index:02}"), *took, outcome("a"));
        }
        run(&folder, "99", 1, broken("a", "no".to_owned()));
        let history = RunHistory::read(&folder);
        assert_eq!(history.usual_duration("a"), Some(Duration::from_millis(60)));
        assert_eq!(history.usual_duration("b"), None);
        let text = fs::read_to_string(folder.join(HISTORY)).unwrap();
        assert!(
            text.ends_with("{\"run\":\"99\",\"id\":\"a\",\"status\":\"error\",\"duration_ms\":1,\"reason\":{\"kind\":\"hook\",\"about\":\"no\"}}\n"),
            "{text}"
        );
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_runs_of_one_commit_can_be_left_aside() {
        let folder = project("commit");
        let line = |commit: &str, took: u64| {
            format!(
                "{{\"run\":\"1\"{commit},\"id\":\"a\",\"status\":\"passed\",\"duration_ms\":{took}}}\n"
            )
        };
        let (old, new) = (",\"commit\":\"old\"", ",\"commit\":\"new\"");
        let lines = [line("", 10), line(old, 20), line(new, 90), line(new, 91)];
        fs::create_dir_all(folder.join(FOLDER)).unwrap();
        fs::write(folder.join(HISTORY), lines.concat()).unwrap();
        for (commit, expected) in [(None, 90), (Some("new"), 20), (Some("other"), 90)] {
            let history = RunHistory::read_without(&folder, commit);
            let usual = history.usual_duration("a");
            assert_eq!(usual, Some(Duration::from_millis(expected)), "{commit:?}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_reason_is_whole_bounded_and_masked_and_one_of_before_is_read() {
        let folder = project("reason");
        let whole = FailureReason {
            kind: "tools.require".into(),
            tool: Some("t".repeat(2 * MOST_OF_REASON)),
            path: Some("currency".to_owned()),
            about: None,
        };
        let kept = HistoryReason::from(whole);
        let tool = kept.tool.clone().unwrap();
        assert!(
            tool.starts_with("ttt") && tool.len() < MOST_OF_REASON + 40,
            "{tool}"
        );
        let text = serde_json::to_string(&kept).unwrap();
        assert!(text.ends_with(",\"path\":\"currency\"}"), "{text}");
        assert_eq!(serde_json::from_str::<HistoryReason>(&text).unwrap(), kept);
        let before =
            "{\"run\":\"1\",\"id\":\"a\",\"status\":\"failed\",\"reason\":\"tools.require\"}";
        let before: HistoryEntry = serde_json::from_str(before).unwrap();
        let reason = before.reason.unwrap();
        assert_eq!((&*reason.kind, reason.tool), ("tools.require", None));
        let redactor = Redactor::default();
        redactor.add(["hunter2-and-more"]);
        let message = "the hook said hunter2-and-more".to_owned();
        run_masked(&folder, "1", 1, broken("a", message), &redactor);
        let text = fs::read_to_string(folder.join(HISTORY)).unwrap();
        assert!(
            text.contains("\"about\":\"the hook said ") && !text.contains("hunter2"),
            "{text}"
        );
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_oldest_runs_go() {
        let folder = project("oldest");
        for index in 0..MOST_RUNS + 5 {
            run(&folder, &format!("{index:02}"), 1, outcome("a"));
        }
        let text = fs::read_to_string(folder.join(HISTORY)).unwrap();
        assert_eq!(text.lines().count(), MOST_RUNS);
        assert!(text.starts_with("{\"run\":\"05\""), "{text}");
        // Lines that are not ours, half a line and a file that is too large.
        let long = format!("nonsense\n{{\"run\":\"0\n{}\n{text}", "x".repeat(9 << 20));
        fs::write(folder.join(HISTORY), long).unwrap();
        let history = RunHistory::read(&folder);
        assert_eq!(history.usual_duration("a"), Some(Duration::from_millis(1)));
        run(&folder, "99", 1, outcome("a"));
        assert!(fs::metadata(folder.join(HISTORY)).unwrap().len() < MOST_BYTES);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_history_that_cannot_be_written_fails_no_run() {
        let folder = project("file");
        fs::write(folder.join(FOLDER), "a file").unwrap();
        run(&folder, "1", 1, outcome("a"));
        assert_eq!(RunHistory::read(&folder), RunHistory::default());
        fs::remove_file(folder.join(FOLDER)).unwrap();
        fs::create_dir_all(folder.join(HISTORY)).unwrap();
        run(&folder, "1", 1, outcome("a"));
        fs::remove_dir_all(folder).unwrap();
    }
}

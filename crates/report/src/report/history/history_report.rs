//! Writes the history of a run, after those before it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use indexmap::IndexMap;
use serde::Deserialize;

use super::run_history::MOST_BYTES;
use super::{HISTORY, HistoryEntry};
use crate::report::Reporter;
use crate::report::own_folder::{FOLDER, make_own_folder};
use ananke_base::context::{At, Scratch};
use ananke_base::source::reason;
use ananke_trace::outcome::{Outcome, RunEvent, Status};
use ananke_trace::redact::Sealed;

/// The number of runs that are kept.
const MOST_RUNS: usize = 50;

/// The number of bytes that are left when older runs go because the file is too large: not every run has to rewrite it.
const LEFT_BYTES: u64 = 6 << 20;

/// The number of bytes that are collected before they are written.
const COLLECTED: usize = 64 << 10;

/// The number of attempts to take the lock of another run, and the time between them.
const TRIES: usize = 40;
const BETWEEN_TRIES: Duration = Duration::from_millis(25);

/// The name of a run that this program begins at `unix_ms`: later runs have greater names.
pub fn run_name(unix_ms: u64) -> String {
    format!("{unix_ms:015}-{}", std::process::id())
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
    let found = fs::metadata(&path)?;
    if !found.is_file() {
        return Ok(());
    }
    // What another run appends meanwhile would be lost.
    let Some(_lock) = lock(folder, File::try_lock) else {
        return Ok(());
    };
    let length = found.len();
    let mut lines = BufReader::new(File::open(&path)?);
    let mut end = lines.seek(SeekFrom::Start(length.saturating_sub(MOST_BYTES)))?;
    // The first byte that stays.
    let mut first = 0;
    // The end of the last line of each run: lines of runs at the same time alternate.
    let mut ends: IndexMap<String, u64> = IndexMap::new();
    // The beginning of the lines of one run, and its index.
    let mut last: Option<(Vec<u8>, usize)> = None;
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let is_too_old = length > MOST_BYTES && end < length - LEFT_BYTES;
        end += line.len() as u64;
        if is_too_old {
            first = end;
        }
        match &last {
            // Most lines are of the same run as the line before.
            Some((start, run)) if line.starts_with(start) => ends[*run] = end,
            _ => {
                if let Ok(RunOf { run }) = serde_json::from_slice::<RunOf>(&line) {
                    let run = ends.insert_full(run.into_owned(), end).0;
                    let until = line.iter().position(|byte| *byte == b',');
                    let until = until.filter(|_| line.starts_with(b"{\"run\":\""));
                    last = until.map(|until| (line[..=until].to_vec(), run));
                }
            }
        }
        line.clear();
    }
    let mut ends: Vec<u64> = ends.into_values().collect();
    ends.sort_unstable();
    let too_many = ends.len().checked_sub(MOST_RUNS + 1);
    first = first.max(too_many.map_or(0, |index| ends[index]));
    if first == 0 {
        return Ok(());
    }
    let mut scratch = Scratch::beside(&path, "part")?;
    lines.seek(SeekFrom::Start(first))?;
    io::copy(&mut lines, &mut scratch.file)?;
    scratch.put_in_place(&path)
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
    use crate::report::history::{HistoryReason, MOST_OF_REASON, RunHistory};
    use ananke_trace::outcome::{EndCause, ErrorKind, FailureReason, Problem, TestIdentity};
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
        broken.end(EndCause::Broken(Problem {
            kind: ErrorKind::Hook,
            message,
            help: None,
        }));
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
            text.ends_with("{\"run\":\"99\",\"id\":\"a\",\"target\":\"\",\"status\":\"error\",\"duration_ms\":1,\"reason\":{\"kind\":\"hook\",\"about\":\"no\"}}\n"),
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

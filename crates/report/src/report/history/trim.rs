//! Removes what is too old from the history, before a run begins.
//!
//! **Invariant:** the newest line of each test stays, however many runs were made without it, and the beginning of a run that was
//! killed stays until its tests have run: `--last-failed` runs the same before and after.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::Path;

use indexmap::IndexMap;

use ananke_base::context::Scratch;

use super::history_file::{HISTORY, MOST_BYTES, MOST_READ, file_end, lock_alone, mark_lost};
use super::history_line::{BEGAN, HistoryLine, RunKind};
use super::last_verdicts::LastVerdicts;

/// The number of runs that are kept in which an agent was asked.
const MOST_RUNS: usize = 50;

/// The number of replays that are kept in addition: they take no times of other runs away.
const MOST_REPLAYS: usize = 10;

/// The number of runs from which on the oldest go: not every run has to rewrite the file.
const TOO_MANY_RUNS: usize = MOST_RUNS + MOST_REPLAYS + 10;

/// The number of bytes that are left when lines go because the file is too large.
const LEFT_BYTES: usize = 6 << 20;

/// A line that stays.
struct KeptLine<'a> {
    text: &'a [u8],
    /// True for a line that stays even without room for it.
    is_needed: bool,
}

/// Removes the oldest lines of the history in `folder` if there are too many, and no run goes on.
///
/// # Errors
/// If the file cannot be read or replaced; then it is as it was.
pub(super) fn trim(folder: &Path) -> io::Result<()> {
    let Some(_alone) = lock_alone(folder) else {
        return Ok(());
    };
    let path = folder.join(HISTORY);
    if !is_too_large(&path)? {
        return Ok(());
    }
    let end = file_end(folder, MOST_READ)?;
    // Lines are read twice: what is read of all of them takes more memory than the file.
    let mut known = LastVerdicts::default();
    let mut runs = IndexMap::new();
    for (at, line) in end.lines().enumerate() {
        let line = HistoryLine::read(line);
        known.note(at, line.as_ref());
        let Some((run, kind)) = line.as_ref().map(HistoryLine::run) else {
            continue;
        };
        if !runs.contains_key(run) {
            runs.insert(run.to_owned(), kind);
        }
    }
    if known.is_lost || end.has_more {
        // The line that cannot be read goes, and the mark says that there was one.
        mark_lost(folder);
    }
    let recent = recent_runs(&runs);
    let lines = end.lines().enumerate();
    let mut kept: Vec<KeptLine> = lines
        .filter_map(|(at, text)| kept_line(at, text, &recent, &known))
        .collect();
    // The largest files have few runs of very many tests: of these the beginnings go.
    let mut bytes: usize = kept.iter().map(|line| line.text.len() + 1).sum();
    if bytes as u64 > MOST_BYTES {
        kept.retain(|line| {
            let stays = line.is_needed || bytes <= LEFT_BYTES;
            if !stays {
                bytes -= line.text.len() + 1;
            }
            stays
        });
    }
    let scratch = Scratch::beside(&path, "part")?;
    let mut text = BufWriter::new(&scratch.file);
    for line in kept {
        text.write_all(line.text)?;
        text.write_all(b"\n")?;
    }
    text.flush()?;
    drop(text);
    scratch.put_in_place(&path)
}

/// True if the history at `path` has too many bytes or runs. The file is read line by line, since most runs remove nothing.
fn is_too_large(path: &Path) -> io::Result<bool> {
    let found = path.metadata()?;
    // A pipe would wait for its writer.
    if !found.is_file() || found.len() > MOST_BYTES {
        return Ok(found.is_file());
    }
    let mut lines = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    let mut runs = 0;
    while lines.read_until(b'\n', &mut line)? > 0 {
        runs += usize::from(line.starts_with(BEGAN));
        line.clear();
    }
    Ok(runs > TOO_MANY_RUNS)
}

/// The line `text`, whose number is `at`, if it stays: because its run is `recent`, or by what is `known` of all lines.
fn kept_line<'a>(
    at: usize,
    text: &'a [u8],
    recent: &HashSet<&str>,
    known: &LastVerdicts,
) -> Option<KeptLine<'a>> {
    let line = HistoryLine::read(text)?;
    let mut is_recent = recent.contains(line.run().0);
    let is_needed = match line {
        HistoryLine::Began(run) => {
            let unfinished = known.unfinished.get(&run.began);
            unfinished.is_some_and(|tests| !tests.is_empty())
        }
        HistoryLine::Test(entry) => {
            let last = known.tests.get(&*entry.id);
            // A test that was deleted would fail again without the run that forgot it.
            is_recent &= last.is_some() || entry.kind == RunKind::Given;
            last.is_some_and(|last| last.line == at)
        }
        HistoryLine::Ended(_) => false,
    };
    if is_needed || is_recent {
        Some(KeptLine { text, is_needed })
    } else {
        None
    }
}

/// The names of the runs that are new enough, of all `runs` in their order.
fn recent_runs(runs: &IndexMap<String, RunKind>) -> HashSet<&str> {
    let newest = || runs.iter().rev();
    let live = newest().filter(|(_, kind)| kind.is_live());
    let replays = newest().filter(|(_, kind)| !kind.is_live());
    let recent = live.take(MOST_RUNS).chain(replays.take(MOST_REPLAYS));
    recent.map(|(run, _)| run.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;

    use super::*;
    use crate::report::history::history_file::{is_marked_lost, lock_alone};
    use crate::report::history::{RunBeginning, RunHistory, later_runs_not_kept};
    use crate::report::own_folder::FOLDER;
    use proptest::prelude::*;
    use tempfile::{TempDir, tempdir};

    /// A project with this history.
    fn project(text: &str) -> TempDir {
        let folder = tempdir().unwrap();
        fs::create_dir(folder.path().join(FOLDER)).unwrap();
        fs::write(folder.path().join(HISTORY), text).unwrap();
        folder
    }

    fn trimmed(folder: &TempDir) -> String {
        trim(folder.path()).unwrap();
        fs::read_to_string(folder.path().join(HISTORY)).unwrap()
    }

    /// A run that came to its end, of the test `id`.
    fn run(name: usize, id: &str, status: &str) -> String {
        format!(
            "{{\"began\":\"{name:02}\",\"selected\":[\"{id}\"]}}\n\
             {{\"run\":\"{name:02}\",\"id\":\"{id}\",\"status\":\"{status}\",\"duration_ms\":{name}}}\n\
             {{\"ended\":\"{name:02}\"}}\n"
        )
    }

    #[test]
    fn the_oldest_runs_go_and_the_newest_line_of_each_test_stays() {
        let most = TOO_MANY_RUNS;
        let old = run(0, "rare", "failed");
        let others: String = (1..most).map(|name| run(name, "a", "passed")).collect();
        let text = old.clone() + &others;
        let folder = project(&text);
        assert_eq!(trimmed(&folder), text, "they are not too many");
        let text = text + &run(most, "a", "passed");
        fs::write(folder.path().join(HISTORY), &text).unwrap();
        let rare = old.lines().nth(1).unwrap();
        let rest: String = (most - MOST_RUNS + 1..=most)
            .map(|name| run(name, "a", "passed"))
            .collect();
        assert_eq!(trimmed(&folder), format!("{rare}\n{rest}"));
        let known = LastVerdicts::known(folder.path());
        assert!(known.is_failing("rare") && !known.is_failing("a"));
    }

    #[test]
    fn while_a_run_goes_on_nothing_is_removed() {
        let text: String = (0..99).map(|name| run(name, "a", "passed")).collect();
        let folder = project(&text);
        let other = lock_alone(folder.path()).unwrap();
        assert_eq!(trimmed(&folder), text);
        drop(other);
        assert!(trimmed(&folder).len() < text.len());
    }

    #[test]
    fn replays_take_no_times_and_no_kept_runs_away() {
        let kept = "{\"began\":\"kept\",\"selected\":[\"a\"],\"kept\":\"run-000001.jsonl\"}\n\
                    {\"run\":\"kept\",\"id\":\"a\",\"status\":\"passed\",\"duration_ms\":7}\n\
                    {\"ended\":\"kept\"}\n";
        let mut text = kept.to_owned();
        for name in 0..200 {
            let _ = writeln!(
                text,
                "{{\"began\":\"{name}\",\"kind\":\"replay\",\"selected\":[\"a\"]}}\n\
                 {{\"run\":\"{name}\",\"kind\":\"replay\",\"id\":\"a\",\"status\":\"failed\",\"duration_ms\":1}}"
            );
        }
        let folder = project(&text);
        let left = trimmed(&folder);
        assert!(left.starts_with(kept));
        assert_eq!(left.lines().count(), 3 + 2 * MOST_REPLAYS);
        let usual = RunHistory::read(folder.path()).usual_duration("a");
        assert_eq!(usual, Some(std::time::Duration::from_millis(7)));
        assert!(LastVerdicts::known(folder.path()).is_failing("a"));
        let later = later_runs_not_kept(folder.path(), "run-000001.jsonl");
        assert_eq!(later, MOST_REPLAYS);
        assert_eq!(later_runs_not_kept(folder.path(), "run-000002.jsonl"), 0);
    }

    #[test]
    fn a_file_that_is_too_large_keeps_what_failed_and_marks_what_cannot_be_read() {
        let failed = run(1, "first", "failed");
        let mut text = failed + "nonsense\n";
        for number in 0..60_000 {
            let _ = writeln!(
                text,
                "{{\"run\":\"1\",\"id\":\"a{}\",\"target\":\"{:0>150}\",\"status\":\"passed\"}}",
                number % 100,
                ""
            );
        }
        let folder = project(&text);
        let left = trimmed(&folder);
        assert!(left.len() <= LEFT_BYTES, "{}", left.len());
        assert!(left.starts_with("{\"run\":\"01\",\"id\":\"first\""));
        assert!(!left.contains("nonsense") && is_marked_lost(folder.path()));
    }

    /// The way in which a run went, its selected tests, one per bit, and the tests that ended, with whether they passed.
    type RandomRun = (u8, u8, Vec<(u8, bool)>);

    /// Runs of a project with a few tests: some are killed, some are replays, some are of all tests.
    fn runs() -> impl Strategy<Value = Vec<RandomRun>> {
        let results = proptest::collection::vec((0..6u8, any::<bool>()), 0..4);
        proptest::collection::vec((0..8u8, 0..64u8, results), 65..110)
    }

    fn ids(set: u8) -> Vec<String> {
        let chosen = (0..6).filter(|bit| set & (1 << bit) != 0);
        chosen.map(|bit| format!("t{bit}")).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_known_of_the_tests_stays_the_same(runs in runs()) {
            let mut text = String::new();
            for (name, (way, set, results)) in runs.iter().enumerate() {
                let kind = if way & 1 == 0 { RunKind::Agent } else { RunKind::Replay };
                let began = name.to_string();
                // Every eighth run is one of all tests, of which there are fewer by then.
                let all = *way == 7;
                let run = RunBeginning { began, kind, selected: ids(*set), all, ..RunBeginning::default() };
                let _ = writeln!(text, "{}", serde_json::to_string(&run).unwrap());
                for (test, passes) in results.iter().filter(|(test, _)| set & (1 << test) != 0) {
                    let status = if *passes { "passed" } else { "failed" };
                    let kind = if kind == RunKind::Replay { ",\"kind\":\"replay\"" } else { "" };
                    let _ = writeln!(text, "{{\"run\":\"{name}\"{kind},\"id\":\"t{test}\",\"status\":\"{status}\"}}");
                }
                if way & 2 == 0 {
                    let _ = writeln!(text, "{{\"ended\":\"{name}\"}}");
                }
            }
            let folder = project(&text);
            let before = LastVerdicts::known(folder.path());
            trimmed(&folder);
            let after = LastVerdicts::known(folder.path());
            for id in ids(u8::MAX) {
                prop_assert_eq!(before.is_failing(&id), after.is_failing(&id), "{}", id);
                // One that was deleted since, which no plan has, may be known again.
                prop_assert!(!before.is_unfinished(&id) || after.is_unfinished(&id), "{}", id);
                let is_known = before.tests.contains_key(&id);
                prop_assert!(!is_known || before.is_unfinished(&id) == after.is_unfinished(&id), "{}", id);
            }
        }
    }
}

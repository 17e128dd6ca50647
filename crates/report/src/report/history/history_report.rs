//! Writes the lines of a run to the history.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::history_file::{HISTORY, HistoryFile, mark_lost, unmark_lost};
use super::history_line::{HistoryEntry, RunBeginning, RunEnding, RunKind};
use super::trim::trim;
use crate::report::Reporter;
use ananke_base::context::At;
use ananke_base::source::reason;
use ananke_trace::outcome::{Outcome, RunEvent, Status};
use ananke_trace::redact::Sealed;

/// The name of a run that this program begins at `unix_ms`.
pub fn run_name(unix_ms: u64) -> String {
    format!("{unix_ms:015}-{}", std::process::id())
}

/// Writes the lines of a run to the history: one when it begins, one when a test has ended, and one when it is over.
pub struct HistoryReport {
    folder: PathBuf,
    /// The name of the run.
    run: String,
    kind: RunKind,
    commit: Option<String>,
    /// The moments at which the tests began that have not ended.
    began: HashMap<String, At>,
    /// The time that the tests took that have ended and are not reported yet.
    took: HashMap<String, Duration>,
    /// The file, or the first error: nothing is written after it.
    file: io::Result<HistoryFile>,
    /// The stream for the warning that it cannot be written.
    warnings: Box<dyn Write + Send>,
}

impl HistoryReport {
    /// The history of the project in `folder`, to which `run` is added, which begins. Its warnings go to `warnings`.
    pub fn begin(folder: PathBuf, run: &RunBeginning, warnings: Box<dyn Write + Send>) -> Self {
        // A history that is too large is no reason to remember nothing.
        let _is_as_it_was = trim(&folder);
        let file = HistoryFile::open(&folder);
        let mut report = Self {
            folder,
            run: run.began.clone(),
            kind: run.kind,
            commit: None,
            began: HashMap::new(),
            took: HashMap::new(),
            file,
            warnings,
        };
        if report.file.is_err() {
            report.mark_lost();
        }
        report.write(run);
        if run.all && report.file.is_ok() {
            unmark_lost(&report.folder);
        }
        report
    }

    fn add(&mut self, outcome: &Outcome) {
        let took = self.took.remove(&outcome.test.id);
        // A test that did not run keeps its last verdict.
        if outcome.status() == Status::Skipped {
            return;
        }
        let (run, commit) = (self.run.clone(), self.commit.clone());
        let entry = HistoryEntry::of(outcome, (&run, self.kind), commit.as_deref(), took);
        self.write(&entry);
    }

    /// Appends a line, unless one before it could not be written.
    fn write(&mut self, line: &impl Serialize) {
        let Ok(file) = &mut self.file else {
            return;
        };
        if let Err(error) = file.append(line) {
            self.file = Err(error);
            self.mark_lost();
        }
    }

    /// Marks at once that something is missing: a run that is killed does not come to its end.
    fn mark_lost(&self) {
        // What is in no file is not remembered for `--last-failed`.
        if self.kind != RunKind::Given {
            mark_lost(&self.folder);
        }
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
            // A run that was interrupted, or lost its agent, has tests that were to run and did not.
            RunEvent::RunFinished(end) if !end.interrupted && end.verdict.lost.is_none() => {
                let ended = self.run.clone().into();
                self.write(&RunEnding { ended });
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let Err(error) = &self.file else {
            return Ok(());
        };
        let why = reason(error);
        let consequence = match self.kind {
            RunKind::Agent | RunKind::Replay => "`--last-failed` will run every test",
            RunKind::Given => "the durations of this run are not remembered",
        };
        // A closed standard error ends the printing, nothing else.
        let _lost = writeln!(
            self.warnings,
            "warning: `{HISTORY}` cannot be written ({why}): {consequence}"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::report::history::{LastVerdicts, RunHistory, Unknown};
    use crate::report::own_folder::FOLDER;
    use ananke_trace::outcome::{EndCause, ErrorKind, Problem, RunClose, TestIdentity};
    use ananke_trace::redact::Redactor;
    use ananke_trace::trace::Usage;
    use tempfile::{TempDir, tempdir};

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
    fn broken(id: &str, message: &str) -> Outcome {
        let mut broken = outcome(id);
        broken.end(EndCause::Broken(Problem {
            kind: ErrorKind::Hook,
            message: message.to_owned(),
            help: None,
        }));
        broken
    }

    /// A run that is called `name` begins, of these tests.
    fn begin(folder: &Path, name: &str, selected: &[&str]) -> HistoryReport {
        let run = RunBeginning {
            began: name.to_owned(),
            selected: selected.iter().map(|id| (*id).to_owned()).collect(),
            ..RunBeginning::default()
        };
        HistoryReport::begin(folder.to_owned(), &run, Box::new(io::sink()))
    }

    /// A test ends after so many milliseconds, in a run that masks what `redactor` knows.
    fn end_test(report: &mut HistoryReport, took: u64, outcome: Outcome, redactor: &Redactor) {
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
        for event in [RunEvent::CaseStarted { id, at }, ended, outcome.into()] {
            report.event(&redactor.seal(event)).unwrap();
        }
    }

    fn end_run(mut report: HistoryReport) {
        let end = RunEvent::RunFinished(RunClose::default());
        report.event(&Redactor::default().seal(end)).unwrap();
        Box::new(report).finish().unwrap();
    }

    /// A run of one test, for so many milliseconds.
    fn run(folder: &Path, name: &str, took: u64, outcome: Outcome) {
        let mut report = begin(folder, name, &[&outcome.test.id]);
        end_test(&mut report, took, outcome, &Redactor::default());
        end_run(report);
    }

    fn text(folder: &TempDir) -> String {
        fs::read_to_string(folder.path().join(HISTORY)).unwrap()
    }

    #[test]
    fn the_usual_duration_is_the_median_of_the_last_passed_runs() {
        let folder = tempdir().unwrap();
        let project = folder.path();
        assert_eq!(RunHistory::read(project), RunHistory::default());
        // The first are too old to count.
        for (index, took) in [9000, 9000, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
            .iter()
            .enumerate()
        {
            run(project, &format!("{index:02}"), *took, outcome("a"));
        }
        run(project, "99", 1, broken("a", "no"));
        let history = RunHistory::read(project);
        assert_eq!(history.usual_duration("a"), Some(Duration::from_millis(60)));
        assert_eq!(history.usual_duration("b"), None);
        let text = text(&folder);
        assert!(
            text.ends_with(
                "{\"began\":\"99\",\"selected\":[\"a\"]}\n\
                 {\"run\":\"99\",\"id\":\"a\",\"target\":\"\",\"status\":\"error\",\"duration_ms\":1,\"reason\":{\"kind\":\"hook\",\"about\":\"no\"}}\n\
                 {\"ended\":\"99\"}\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn what_a_run_writes_is_masked() {
        let folder = tempdir().unwrap();
        let redactor = Redactor::default();
        redactor.add(["hunter2-and-more"]);
        let mut report = begin(folder.path(), "1", &[]);
        let broken = broken("a", "the hook said hunter2-and-more");
        end_test(&mut report, 1, broken, &redactor);
        let text = text(&folder);
        assert!(
            text.contains("\"about\":\"the hook said ") && !text.contains("hunter2"),
            "{text}"
        );
    }

    #[test]
    fn a_run_that_is_killed_leaves_what_it_knew_and_what_it_did_not_run() {
        let folder = tempdir().unwrap();
        let project = folder.path();
        run(project, "1", 1, broken("old", "no"));
        let mut killed = begin(project, "2", &["a", "b", "c"]);
        end_test(&mut killed, 1, broken("a", "no"), &Redactor::default());
        end_test(&mut killed, 1, outcome("b"), &Redactor::default());
        drop(killed);
        let known = LastVerdicts::read(project).unwrap();
        assert!(known.is_failing("old") && known.is_failing("a") && !known.failed("b"));
        assert!(known.is_unfinished("c") && !known.is_failing("c") && known.failed("c"));
        // A run that skips it leaves it as it was, and one that runs it knows it.
        end_run(begin(project, "3", &["c"]));
        assert!(LastVerdicts::read(project).unwrap().is_unfinished("c"));
        run(project, "4", 1, outcome("c"));
        assert!(!LastVerdicts::read(project).unwrap().failed("c"));
    }

    #[test]
    fn runs_at_the_same_time_lose_nothing_of_each_other() {
        let folder = tempdir().unwrap();
        let project = folder.path();
        let redactor = Redactor::default();
        let tests = |name: &str| [1, 2, 3].map(|test| format!("{name}{test}"));
        std::thread::scope(|scope| {
            for name in ["a", "b", "c", "d"] {
                let redactor = &redactor;
                scope.spawn(move || {
                    for round in 0..20 {
                        let tests = tests(name);
                        let selected: Vec<&str> = tests.iter().map(String::as_str).collect();
                        let mut report = begin(project, &format!("{name}-{round}"), &selected);
                        for id in selected {
                            end_test(&mut report, 1, broken(id, "no"), redactor);
                        }
                        end_run(report);
                    }
                });
            }
        });
        let known = LastVerdicts::read(project).unwrap();
        for name in ["a", "b", "c", "d"] {
            for id in tests(name) {
                assert!(known.is_failing(&id) && !known.is_unfinished(&id), "{id}");
            }
        }
    }

    #[test]
    fn half_a_line_means_that_nothing_is_known_until_a_run_of_all_tests() {
        let folder = tempdir().unwrap();
        let project = folder.path();
        run(project, "1", 1, broken("a", "no"));
        let half = text(&folder) + "{\"run\":\"2\",\"id\":\"b";
        fs::write(project.join(HISTORY), half).unwrap();
        assert_eq!(LastVerdicts::read(project), Err(Unknown::Lost));
        run(project, "3", 1, outcome("a"));
        assert_eq!(LastVerdicts::read(project), Err(Unknown::Lost));
        let all = RunBeginning {
            began: "4".to_owned(),
            selected: vec!["a".to_owned()],
            all: true,
            ..RunBeginning::default()
        };
        end_run(HistoryReport::begin(
            project.to_owned(),
            &all,
            Box::new(io::sink()),
        ));
        assert!(LastVerdicts::read(project).unwrap().is_clean());
    }

    #[test]
    fn a_history_that_cannot_be_written_fails_no_run_and_is_not_trusted() {
        let folder = tempdir().unwrap();
        let project = folder.path();
        fs::write(project.join(FOLDER), "a file").unwrap();
        run(project, "1", 1, outcome("a"));
        assert_eq!(RunHistory::read(project), RunHistory::default());
        assert_eq!(LastVerdicts::read(project), Err(Unknown::NoRun));
        fs::remove_file(project.join(FOLDER)).unwrap();
        fs::create_dir_all(project.join(HISTORY)).unwrap();
        run(project, "1", 1, outcome("a"));
        assert_eq!(LastVerdicts::read(project), Err(Unknown::Lost));
    }

    #[test]
    fn an_empty_file_and_one_of_an_earlier_build_are_not_taken_for_a_run_in_which_nothing_failed() {
        let folder = tempdir().unwrap();
        let project = folder.path();
        let own = project.join(FOLDER);
        assert_eq!(LastVerdicts::read(project), Err(Unknown::NoRun));
        fs::create_dir(&own).unwrap();
        fs::write(own.join("last-run.json"), "{\"failed\":[]}").unwrap();
        assert_eq!(LastVerdicts::read(project), Err(Unknown::EarlierBuild));
        fs::write(project.join(HISTORY), "").unwrap();
        assert_eq!(LastVerdicts::read(project), Err(Unknown::Unusable));
        let old = "{\"run\":\"1\",\"id\":\"a\",\"status\":\"passed\",\"reason\":\"other\"}\n\
                   {\"run\":\"1\",\"id\":\"b\",\"status\":\"passed\"}\n";
        fs::write(project.join(HISTORY), old).unwrap();
        assert_eq!(LastVerdicts::read(project), Err(Unknown::EarlierBuild));
        run(project, "2", 1, outcome("a"));
        assert!(LastVerdicts::read(project).is_ok());
    }
}

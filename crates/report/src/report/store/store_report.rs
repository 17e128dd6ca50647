//! Keeps a run: hands its outcomes and the recordings of its attempts to the thread that writes them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use super::run_files::{create, remove_oldest};
use super::run_writer::{MOST_OF_ATTEMPT, RunWriter, WriterQueue, Written};
use super::{KeptTest, RUNS, RunHeading, record::VERSION};
use crate::report::{Reporter, RunKeeping, failure_numbers::FailureNumbers};
use crate::run_document::{RunTotals, last_line, result_line};
use ananke_base::source::reason;
use ananke_recording::{AttemptStore, RecordedAttempt};
use ananke_trace::outcome::RunEvent;
use ananke_trace::redact::Sealed;

/// Takes the recordings of a run that is kept.
pub struct RunStore(WriterQueue);

impl fmt::Debug for RunStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("RunStore").finish_non_exhaustive()
    }
}

impl AttemptStore for RunStore {
    fn most_bytes(&self) -> u64 {
        MOST_OF_ATTEMPT
    }

    fn add(&self, attempt: RecordedAttempt) {
        self.0.add_attempt(attempt);
    }
}

/// Keeps a run. Nothing that cannot be written fails it.
pub struct StoreReport {
    /// The directory of the config.
    project: PathBuf,
    path: PathBuf,
    /// The number of runs that are kept.
    keep: usize,
    /// Until the run is over.
    writer: Option<RunWriter>,
    /// The result of the writer, once the run is over.
    written: Option<Written>,
    keeping: RunKeeping,
    run: RunTotals,
    failures: FailureNumbers,
    /// The stream for the warning that it cannot be written.
    warnings: Box<dyn Write + Send>,
}

impl StoreReport {
    /// The last `keep` runs of the project in `project` are kept: `heading` says what this one is made with. Its warnings go to
    /// `warnings`. Returns what takes the recordings, too.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn begin(
        project: &Path,
        keep: usize,
        heading: RunHeading,
        warnings: Box<dyn Write + Send>,
    ) -> io::Result<(Self, RunStore)> {
        let (file, path) = create(project)?;
        let heading = RunHeading {
            version: VERSION.to_owned(),
            ananke: env!("CARGO_PKG_VERSION").to_owned(),
            project: project.display().to_string(),
            ..heading
        };
        let writer = RunWriter::start(Box::new(file), heading)?;
        let store = RunStore(writer.queue());
        let report = Self {
            project: project.to_owned(),
            path,
            keep,
            writer: Some(writer),
            written: None,
            keeping: RunKeeping::begun(),
            run: RunTotals::default(),
            failures: FailureNumbers::default(),
            warnings,
        };
        Ok((report, store))
    }

    /// Whether it is kept.
    pub fn keeping(&self) -> RunKeeping {
        self.keeping.clone()
    }

    /// The name of its file.
    pub fn file_name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The run is over: waits until everything is written.
    fn end(&mut self) -> io::Result<()> {
        let Some(writer) = self.writer.take() else {
            return Ok(());
        };
        let written = writer.end(last_line(&self.run)?);
        if written.error.is_some() {
            self.keeping.fails();
        }
        self.written = Some(written);
        Ok(())
    }
}

impl Drop for StoreReport {
    /// A run that was refused before its first test leaves no file.
    fn drop(&mut self) {
        if self.end().is_err() {
            return;
        }
        let written = self.written.as_ref();
        if written.is_some_and(|written| !written.has_tests) {
            let _is_gone = fs::remove_file(&self.path);
        }
    }
}

/// The warning that a run is not kept.
pub fn not_kept(error: &io::Error) -> String {
    not_written(
        "this run is not kept, so that `ananke show` and `run --again` do not know it",
        error,
    )
}

/// The warning that all of a run or a part of it is not written.
fn not_written(what: &str, error: &io::Error) -> String {
    format!(
        "warning: {what}: `{RUNS}` cannot be written ({})\n\
         help: is `{RUNS}` a directory of yours, and has its disk room? `run: {{ keep: 0 }}` in the config keeps no run",
        reason(error)
    )
}

impl Reporter for StoreReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.run.add(event);
        match &**event {
            RunEvent::CaseFinished(outcome) => {
                let number = self.failures.number(outcome);
                // A test that did not run adds nothing to the runs before.
                let text = result_line(outcome)?;
                if let Some(writer) = &self.writer {
                    writer.add_outcome(KeptTest::of(outcome, 0, number), text);
                }
            }
            RunEvent::RunFinished(_) => self.end()?,
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.end()?;
        let Some(Written { has_tests, error }) = self.written.take() else {
            return Ok(());
        };
        if let Some(error) = error {
            let warning = if has_tests {
                not_written("only the beginning of this run is kept", &error)
            } else {
                not_kept(&error)
            };
            // A closed standard error ends the printing, nothing else.
            let _lost = writeln!(self.warnings, "{warning}");
        }
        if !has_tests {
            let _is_gone = fs::remove_file(&self.path);
        }
        remove_oldest(&self.project, self.keep);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::store::kept_run::KeptRun;
    use ananke_base::context::At;
    use ananke_trace::outcome::{EndCause, ErrorKind, Outcome, Problem, TestIdentity};
    use ananke_trace::redact::Redactor;
    use ananke_trace::trace::Usage;

    fn failing(id: &str) -> Outcome {
        let mut outcome = Outcome {
            test: TestIdentity {
                id: id.to_owned(),
                ..TestIdentity::default()
            },
            run: 1,
            ..Outcome::default()
        };
        outcome.end(EndCause::Broken(Problem {
            kind: ErrorKind::Agent,
            message: "no".to_owned(),
            help: None,
        }));
        outcome
    }

    #[test]
    fn a_run_that_is_refused_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let warnings = Box::new(Vec::new());
        let heading = RunHeading::default();
        let (report, store) = StoreReport::begin(folder.path(), 10, heading, warnings).unwrap();
        let path = report.path.clone();
        assert!(path.exists());
        drop((report, store));
        assert!(!path.exists());
    }

    #[test]
    fn failures_are_numbered_in_the_order_of_the_plan() {
        let folder = tempfile::tempdir().unwrap();
        let warnings = Box::new(Vec::new());
        let heading = RunHeading::default();
        let (report, store) = StoreReport::begin(folder.path(), 10, heading, warnings).unwrap();
        drop(store);
        let mut report = Box::new(report);
        let mut event = |event| report.event(&Redactor::default().seal(event)).unwrap();
        // The second test of the plan fails while the first still runs.
        let second = failing("second");
        event(RunEvent::CaseEnded {
            id: second.test.id.clone(),
            at: At::default(),
            status: second.status(),
            duration_us: None,
            fails_the_run: true,
            usage: Usage::default(),
            failed: Some(Box::new(second.clone())),
        });
        for outcome in [failing("first"), second, failing("third")] {
            event(outcome.into());
        }
        let path = report.path.clone();
        report.finish().unwrap();
        let run = KeptRun::open(&path, "run").unwrap();
        let failures: Vec<(&str, Option<usize>)> = run
            .failures()
            .into_iter()
            .map(|test| (test.id.as_str(), test.number))
            .collect();
        let expected = [("first", Some(1)), ("second", Some(2)), ("third", Some(3))];
        assert_eq!(failures, expected);
    }
}

//! Keeps a run: hands its outcomes and the recordings of its attempts to the thread that writes them.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::record::{KeptRunEnd, KeptTest, RunHeading, VERSION};
use super::run_files::{RUNS, create, remove_oldest};
use super::run_writer::{MOST_OF_ATTEMPT, RunWriter, WriterQueue};
use crate::report::reporter::Reporter;
use ananke_base::source::reason;
use ananke_engine::recording::{AttemptStore, RecordedAttempt};
use ananke_engine::run::RunEvent;
use ananke_trace::outcome::TokenTotals;
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
    /// How many runs are kept.
    keep: usize,
    writer: RunWriter,
    end: Option<KeptRunEnd>,
    tokens: TokenTotals,
    /// The stream for the warning that it cannot be written.
    warnings: Box<dyn Write + Send>,
}

impl StoreReport {
    /// The last `keep` runs of the project in `project` are kept: this one is called `name`, and `heading` says what it is made
    /// with. Its warnings go to `warnings`. Returns what takes the recordings, too.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn begin(
        project: &Path,
        name: &str,
        keep: usize,
        heading: RunHeading,
        warnings: Box<dyn Write + Send>,
    ) -> io::Result<(Self, RunStore)> {
        let (file, path) = create(project, name)?;
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
            writer,
            end: None,
            tokens: TokenTotals::default(),
            warnings,
        };
        Ok((report, store))
    }
}

/// The warning that a run is not kept.
pub fn not_kept(error: &io::Error) -> String {
    format!(
        "warning: this run is not kept: `{RUNS}` cannot be written ({})",
        reason(error)
    )
}

impl Reporter for StoreReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        match &**event {
            RunEvent::CaseFinished(outcome) => {
                let (_, tokens) = outcome.spent();
                self.tokens = self.tokens + tokens;
                // A test that did not run adds nothing to the runs before.
                let text = serde_json::to_string(&**outcome)?;
                self.writer.add_outcome(KeptTest::of(outcome, 0), text);
            }
            RunEvent::RunFinished {
                verdict,
                elapsed_us,
                interrupted,
            } => {
                self.end = Some(KeptRunEnd {
                    verdict: verdict.clone(),
                    elapsed_us: *elapsed_us,
                    interrupted: *interrupted,
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let written = self.writer.end(self.end.take(), self.tokens);
        if let Some(error) = written.error {
            // A closed standard error ends the printing, nothing else.
            let _lost = writeln!(self.warnings, "{}", not_kept(&error));
        }
        if !written.has_tests {
            let _is_gone = fs::remove_file(&self.path);
        }
        remove_oldest(&self.project, self.keep);
        Ok(())
    }
}

//! What the project remembers of its last runs, for `--last-failed`: the ids of the tests whose last verdict was that
//! they do not pass, in `.ananke/last-run.json` next to the config.
//!
//! **Invariant:** a memory that cannot be written fails no run, and a folder of ours is never committed: it ignores
//! itself.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::context::Scratch;
use crate::outcome::{Outcome, Status};
use crate::redact::Sealed;
use crate::report::reporter::Reporter;
use crate::run::RunEvent;

/// Its path, relative to the directory of the config.
pub const LAST_RUN: &str = ".ananke/last-run.json";

/// The version of the file.
const VERSION: &str = "1.0";

/// What is known of the runs before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    version: String,
    failed: BTreeSet<String>,
}

/// Why nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// There was no run yet.
    NoRun,
    /// The file is there and cannot be used.
    Unusable,
}

impl LastRun {
    /// What the project in `folder` remembers.
    ///
    /// # Errors
    /// If it remembers nothing.
    pub fn read(folder: &Path) -> Result<Self, Unknown> {
        let text = fs::read(folder.join(LAST_RUN)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Unknown::NoRun,
            _ => Unknown::Unusable,
        })?;
        let read: Self = serde_json::from_slice(&text).map_err(|_| Unknown::Unusable)?;
        if read.version == VERSION { Ok(read) } else { Err(Unknown::Unusable) }
    }

    /// Whether no test failed.
    pub fn is_clean(&self) -> bool {
        self.failed.is_empty()
    }

    /// Whether the last verdict of the test `id` was that it does not pass.
    pub fn failed(&self, id: &str) -> bool {
        self.failed.contains(id)
    }

    /// Forgets the tests that `exists` does not know any more.
    pub fn forget(&mut self, exists: impl Fn(&str) -> bool) {
        self.failed.retain(|id| exists(id));
    }

    fn learn(&mut self, outcome: &Outcome) {
        match outcome.status() {
            Status::Passed => {
                self.failed.remove(&outcome.test.id);
            }
            Status::Failed | Status::Error | Status::Timeout => {
                self.failed.insert(outcome.test.id.clone());
            }
            // A test that did not run keeps its last verdict.
            Status::Skipped => {}
        }
    }

    fn write(&self, folder: &Path) -> io::Result<()> {
        let destination = folder.join(LAST_RUN);
        let mut scratch = Scratch::beside(&destination, "part")?;
        let ignored = destination.with_file_name(".gitignore");
        if !ignored.exists() {
            fs::write(ignored, "# What ananke remembers of its last runs on this machine.\n*\n")?;
        }
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        scratch.file.write_all(text.as_bytes())?;
        scratch.put_in_place(&destination)
    }
}

/// Remembers the verdicts of a run, over those of the runs before.
pub struct LastRunReport {
    folder: PathBuf,
    known: LastRun,
}

impl LastRunReport {
    /// A memory of the project in `folder`, where `known` is what it remembers.
    pub fn new(folder: PathBuf, known: LastRun) -> Self {
        Self { folder, known: LastRun { version: VERSION.to_owned(), ..known } }
    }
}

impl Reporter for LastRunReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        if let RunEvent::CaseFinished(outcome) = &**event {
            self.known.learn(outcome);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        // In a folder that cannot be written there is nothing to remember with.
        let _ = self.known.write(&self.folder);
        Ok(())
    }
}

//! What the project remembers of its last runs, for `--last-failed`: the ids of the tests whose last verdict was that
//! they do not pass, in `.ananke/last-run.json` next to the config.
//!
//! **Invariant:** a memory that cannot be written fails no run, and a folder of ours is never committed: it ignores
//! itself.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::report::reporter::Reporter;
use crate::report::run_journal::{Progress, RunJournal};
use ananke_base::context::write_file;
use ananke_engine::run::RunEvent;
use ananke_trace::outcome::Status;
use ananke_trace::redact::Sealed;

/// The directory of the memory, relative to the directory of the config.
const FOLDER: &str = ".ananke";

/// Its path, relative to the directory of the config.
pub const LAST_RUN: &str = ".ananke/last-run.json";

/// The version of the file.
const VERSION: &str = "1.0";

/// What is known of the runs before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    version: String,
    failed: BTreeSet<String>,
    /// The tests that did not end, or did not begin, in a run that was killed or interrupted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    unfinished: BTreeSet<String>,
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
        let journals = RunJournal::unended(&folder.join(FOLDER));
        let known = Self::written(folder);
        if journals.is_empty() {
            return known;
        }
        let mut known = known.unwrap_or_default();
        for (progress, id) in journals.iter().flat_map(|path| RunJournal::read(path)) {
            known.note(progress, id);
        }
        Ok(known)
    }

    /// What the last run that ended has written.
    fn written(folder: &Path) -> Result<Self, Unknown> {
        let path = folder.join(LAST_RUN);
        // A pipe would wait for its writer.
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(Unknown::Unusable);
        }
        let text = fs::read(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Unknown::NoRun,
            _ => Unknown::Unusable,
        })?;
        let read: Self = serde_json::from_slice(&text).map_err(|_| Unknown::Unusable)?;
        if read.version == VERSION {
            Ok(read)
        } else {
            Err(Unknown::Unusable)
        }
    }

    /// Whether every test passed.
    pub fn is_clean(&self) -> bool {
        self.failed.is_empty() && self.is_complete()
    }

    /// Whether every test that was to run has ended.
    pub fn is_complete(&self) -> bool {
        self.unfinished.is_empty()
    }

    /// Whether the test `id` did not pass when it ran last, or did not end.
    pub fn failed(&self, id: &str) -> bool {
        self.failed.contains(id) || self.unfinished.contains(id)
    }

    /// Forgets the tests for which `exists` is false.
    pub fn forget(&mut self, exists: impl Fn(&str) -> bool) {
        self.failed.retain(|id| exists(id));
        self.unfinished.retain(|id| exists(id));
    }

    fn note(&mut self, progress: Progress, id: String) {
        match progress {
            Progress::Selected => _ = self.unfinished.insert(id),
            Progress::Passed => {
                self.unfinished.remove(&id);
                self.failed.remove(&id);
            }
            Progress::Failed => {
                self.unfinished.remove(&id);
                self.failed.insert(id);
            }
        }
    }

    fn write(&self, folder: &Path) -> io::Result<()> {
        ignore_itself(&folder.join(FOLDER))?;
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        write_file(&folder.join(LAST_RUN), text.as_bytes())
    }
}

/// Creates the folder with what keeps it out of version control.
fn ignore_itself(folder: &Path) -> io::Result<()> {
    let ignored = folder.join(".gitignore");
    if ignored.exists() {
        return Ok(());
    }
    write_file(
        &ignored,
        b"# What ananke remembers of its last runs on this machine.\n*\n",
    )
}

/// Remembers the verdicts of a run, over those of the runs before; also if the run is killed.
pub struct LastRunReport {
    folder: PathBuf,
    known: LastRun,
    /// The tests that are to run and have not ended.
    selected: BTreeSet<String>,
    /// `None` if it cannot be written.
    journal: Option<RunJournal>,
    is_whole: bool,
}

impl LastRunReport {
    /// A memory of the project in `folder`, where `known` is what it remembers, of a run of the `selected` tests that
    /// begins at `unix_ms`.
    pub fn begin(folder: PathBuf, known: LastRun, selected: Vec<String>, unix_ms: u64) -> Self {
        let known = LastRun {
            version: VERSION.to_owned(),
            ..known
        };
        let home = folder.join(FOLDER);
        let journals = RunJournal::unended(&home);
        // What they contain is known, and written before they go.
        if !journals.is_empty() && known.write(&folder).is_ok() {
            for journal in journals {
                let _is_gone = fs::remove_file(journal);
            }
        }
        let journal = ignore_itself(&home)
            .and_then(|()| RunJournal::begin(&home, unix_ms, &selected))
            .ok();
        Self {
            folder,
            known,
            selected: selected.into_iter().collect(),
            journal,
            is_whole: false,
        }
    }
}

impl Reporter for LastRunReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        match &**event {
            RunEvent::CaseFinished(outcome) => {
                let progress = match outcome.status() {
                    Status::Passed => Progress::Passed,
                    Status::Failed
                    | Status::Error
                    | Status::Timeout
                    | Status::Undecided
                    | Status::NotShown => Progress::Failed,
                    // A test that did not run keeps its last verdict.
                    Status::Skipped => return Ok(()),
                };
                let id = &outcome.test.id;
                self.selected.remove(id);
                self.known.note(progress, id.clone());
                if let Some(journal) = &mut self.journal {
                    journal.note(progress, id);
                }
            }
            RunEvent::RunFinished {
                verdict,
                interrupted,
                ..
            } => {
                self.is_whole = !*interrupted && !verdict.lost_server;
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if !self.is_whole {
            self.known.unfinished.append(&mut self.selected);
        }
        // In a folder that cannot be written there is nothing to remember with.
        if self.known.write(&self.folder).is_ok() {
            self.journal.map(RunJournal::end).unwrap_or_default();
        }
        Ok(())
    }
}

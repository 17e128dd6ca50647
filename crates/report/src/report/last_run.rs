//! The last results that the project stores for `--last-failed`: the ids of the tests whose last verdict was that
//! they do not pass, in `.ananke/last-run.json` next to the config.
//!
//! **Invariant:** a memory that cannot be written fails no run, and a folder of ours is never committed: it ignores
//! itself.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::Reporter;
use crate::report::own_folder::{FOLDER, make_own_folder};
use crate::report::run_journal::{Progress, RunJournal};
use ananke_base::context::{Scratch, write_file};
use ananke_base::source::reason;
use ananke_trace::outcome::{RunEvent, Status};
use ananke_trace::redact::Sealed;

/// Its path, relative to the directory of the config.
pub const LAST_RUN: &str = ".ananke/last-run.json";

/// The version of the file.
const VERSION: &str = "1.0";

/// The last results of the tests in the runs before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    version: String,
    #[serde(deserialize_with = "entries")]
    failed: BTreeSet<String>,
    /// The tests that did not end, or did not begin, in a run that was killed or interrupted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    unfinished: BTreeSet<String>,
    /// Set if there was a run of which nothing is known.
    #[serde(skip)]
    is_lost: bool,
}

/// The ids of a list. An entry that is no text is an id that no test has, so that it is named rather than lost.
fn entries<'de, D: Deserializer<'de>>(list: D) -> Result<BTreeSet<String>, D::Error> {
    let entries = Vec::<Value>::deserialize(list)?.into_iter();
    let ids = entries.map(|entry| match entry {
        Value::String(id) => id,
        other => other.to_string(),
    });
    Ok(ids.collect())
}

/// The reason that nothing is known of the runs before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// There was no run yet.
    NoRun,
    /// The file is there and cannot be used.
    Unusable,
    /// A run could not write what came of its tests.
    Lost,
    /// Nothing can be written there: the last run could not write anything either.
    Unwritable,
}

impl LastRun {
    /// The last results that the project in `folder` has stored.
    ///
    /// # Errors
    /// If it remembers nothing.
    pub fn read(folder: &Path) -> Result<Self, Unknown> {
        let known = Self::with_journals(folder)?;
        let probe = Scratch::beside(&folder.join(LAST_RUN), "part");
        let written = probe.and_then(|mut probe| probe.file.write_all(b"{}"));
        match written {
            _ if known.is_lost => Err(Unknown::Lost),
            Err(_) => Err(Unknown::Unwritable),
            Ok(()) => Ok(known),
        }
    }

    /// The same, whether anything can be written or not, and with what is known where something was lost.
    fn with_journals(folder: &Path) -> Result<Self, Unknown> {
        let journals = RunJournal::unended(&folder.join(FOLDER));
        let mut known = match Self::written(folder) {
            Err(Unknown::NoRun) if !journals.is_empty() => Self::default(),
            written => written?,
        };
        for journal in journals {
            match RunJournal::read(&journal) {
                Some(entries) => entries
                    .into_iter()
                    .for_each(|(progress, id)| known.note(progress, id)),
                None => known.is_lost = true,
            }
        }
        Ok(known)
    }

    /// The memory of the project in `folder`, as far as there is one, for a run that begins.
    pub fn known(folder: &Path) -> Self {
        Self::with_journals(folder).unwrap_or_default()
    }

    /// A run of all tests begins, for which `exists` is true: the others are forgotten, and what was lost is found out again.
    pub fn renew(&mut self, exists: impl Fn(&str) -> bool) {
        self.is_lost = false;
        self.failed.retain(|id| exists(id));
        self.unfinished.retain(|id| exists(id));
    }

    /// The results that the last run that ended has written.
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

    /// Whether the test `id` did not begin, or did not end, in a run that did not come to its end.
    pub fn is_unfinished(&self, id: &str) -> bool {
        self.unfinished.contains(id)
    }

    /// Whether the test `id` did not pass when it ran last.
    pub fn is_failing(&self, id: &str) -> bool {
        self.failed.contains(id)
    }

    /// The tests that did not pass when they ran last, of which `exists` is false.
    pub fn failed_without(&self, exists: impl Fn(&str) -> bool) -> Vec<String> {
        let gone = self.failed.iter().filter(|id| !exists(id));
        gone.cloned().collect()
    }

    /// Forgets the tests `gone`, which were named.
    pub fn forget(&mut self, gone: &[String]) {
        self.failed.retain(|id| !gone.contains(id));
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
        make_own_folder(folder)?;
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        write_file(&folder.join(LAST_RUN), text.as_bytes())
    }
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
    /// The stream for the warning that the memory cannot be written.
    warnings: Box<dyn Write + Send>,
}

impl LastRunReport {
    /// A memory of the project in `folder`, where `known` is what it remembers, of a run of the `selected` tests that begins.
    /// Its warnings go to `warnings`.
    pub fn begin(
        folder: PathBuf,
        known: LastRun,
        selected: Vec<String>,
        warnings: Box<dyn Write + Send>,
    ) -> Self {
        let known = LastRun {
            version: VERSION.to_owned(),
            ..known
        };
        let home = folder.join(FOLDER);
        let journals = RunJournal::unended(&home);
        // What they contain is known, and written before they go.
        if !journals.is_empty() && !known.is_lost && known.write(&folder).is_ok() {
            for journal in journals {
                let _is_gone = fs::remove_file(journal);
            }
        }
        let journal = make_own_folder(&folder)
            .and_then(|()| RunJournal::begin(&home, &selected))
            .ok();
        Self {
            folder,
            known,
            selected: selected.into_iter().collect(),
            journal,
            is_whole: false,
            warnings,
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
            RunEvent::RunFinished(end) => {
                self.is_whole = !end.interrupted && end.verdict.lost.is_none();
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if !self.is_whole {
            self.known.unfinished.append(&mut self.selected);
        }
        match (self.known.write(&self.folder), self.journal) {
            (Ok(()), journal) => journal.map(RunJournal::end).unwrap_or_default(),
            (Err(error), journal) => {
                if journal.is_none() {
                    // It is of an earlier run.
                    let _is_left = fs::remove_file(self.folder.join(LAST_RUN));
                }
                let why = reason(&error);
                // A closed standard error ends the printing, nothing else.
                let _lost = writeln!(
                    self.warnings,
                    "warning: `{LAST_RUN}` cannot be written ({why}): `--last-failed` will run every test"
                );
            }
        }
        Ok(())
    }
}

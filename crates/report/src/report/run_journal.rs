//! The journal of a running project: which tests a run has selected, and which of them have ended. It is removed when the
//! run is over, so that what is left of it belongs to a run that was killed.
//!
//! **Invariant:** a run holds the lock of its journal until it ends, however it ends; a journal whose lock is held is left
//! alone.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::numbered_files;

/// The progress of a test, and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Progress {
    /// It is to run.
    Selected,
    /// It passed.
    Passed,
    /// It did not pass.
    Failed,
}

/// The journal of this run.
#[derive(Debug)]
pub(super) struct RunJournal {
    file: File,
    path: PathBuf,
}

impl RunJournal {
    /// Begins a journal in `folder`, which exists, with the ids of the tests that are to run, and how many they are.
    ///
    /// # Errors
    /// If it cannot be written. What is there of it says that such a run began.
    pub(super) fn begin(folder: &Path, selected: &[String]) -> io::Result<Self> {
        let (file, path) = numbered_files::create(folder)?;
        file.lock()?;
        let mut journal = Self { file, path };
        let mut lines = BufWriter::new(&journal.file);
        writeln!(lines, "{}", selected.len())?;
        for id in selected {
            writeln!(lines, "{}", line(Progress::Selected, id))?;
        }
        lines.flush()?;
        drop(lines);
        journal.file.flush()?;
        Ok(journal)
    }

    /// Notes how far a test is, and its result. What cannot be written is not remembered.
    pub(super) fn note(&mut self, progress: Progress, id: &str) {
        // At once, so that a run that is killed leaves no half of a line.
        let _is_full = self
            .file
            .write_all(format!("{}\n", line(progress, id)).as_bytes());
    }

    /// The run is over.
    pub(super) fn end(self) {
        let _is_gone = fs::remove_file(&self.path);
    }

    /// The journals in `folder` of runs that were killed, in their order.
    pub(super) fn unended(folder: &Path) -> Vec<PathBuf> {
        numbered_files::ended(folder)
    }

    /// The entries of the journal at `path`, as far as they were written; `None` if it does not even say which tests were to run.
    pub(super) fn read(path: &Path) -> Option<Vec<(Progress, String)>> {
        let file = File::open(path).ok()?;
        let mut lines = BufReader::new(file).lines().map_while(Result::ok);
        let selected: usize = lines.next()?.parse().ok()?;
        let entries: Vec<(Progress, String)> = lines
            .map_while(|line| serde_json::from_str(&line).ok())
            .collect();
        let known = entries
            .iter()
            .take_while(|(progress, _)| *progress == Progress::Selected)
            .count();
        (known >= selected).then_some(entries)
    }
}

fn line(progress: Progress, id: &str) -> String {
    serde_json::json!([progress, id]).to_string()
}

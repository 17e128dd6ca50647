//! The files that reports are written to: none replaces another, or a file that tests are made of.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ananke::context::{Destination, Files};
use ananke::golden::is_golden;
use ananke::recording::is_recording;

/// The files of reports so far, and those that no report may replace.
pub(super) struct ReportFiles {
    /// Files that the command reads, behind all links.
    read: HashSet<PathBuf>,
    /// The reports, as they are called in messages.
    reports: HashMap<PathBuf, PathBuf>,
}

impl ReportFiles {
    /// No report may replace a file of `read`.
    pub(super) fn new(read: impl IntoIterator<Item = PathBuf>) -> Self {
        let read = read.into_iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        Self { read, reports: HashMap::new() }
    }

    /// Checks that the report at `path`, which messages call `shown`, may replace what is there.
    ///
    /// # Errors
    /// What is there, and what to do.
    pub(super) fn check(&self, path: &Path, shown: &Path) -> io::Result<()> {
        let Ok(real) = fs::canonicalize(path) else { return Ok(()) };
        let what = if !real.is_file() {
            return Ok(());
        } else if is_golden(&Files::default(), &real) {
            "a snapshot"
        } else if is_recording(&real) {
            "a recording"
        } else if real.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            "a YAML file, as tests and configs are"
        } else if self.read.contains(&real) {
            "a file that this command reads"
        } else {
            return Ok(());
        };
        Err(refused(&format!("`{}` is {what}, and a report would replace it", shown.display())))
    }

    /// Adds the report at `path`, whose directory exists.
    ///
    /// # Errors
    /// If there is another report at this path.
    pub(super) fn add(&mut self, path: &Path, shown: &Path) -> io::Result<()> {
        let Ok(Destination::File(file)) = Destination::of(path) else { return Ok(()) };
        let folder = file.parent().and_then(|folder| fs::canonicalize(folder).ok()).unwrap_or_default();
        let real = folder.join(file.file_name().unwrap_or_default());
        match self.reports.insert(real, shown.to_owned()) {
            None => Ok(()),
            Some(other) if other == shown => {
                Err(refused(&format!("two reports are written to `{}`", shown.display())))
            }
            Some(other) => {
                let message = format!(
                    "`{}` and `{}` are the same file of two reports",
                    other.display(),
                    shown.display()
                );
                Err(refused(&message))
            }
        }
    }
}

fn refused(message: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{message}\nhelp: choose another file for the report"),
    )
}

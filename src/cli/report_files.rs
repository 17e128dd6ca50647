//! The files that reports are written to: none replaces another, or a file that tests are made of.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ananke::context::{Destination, Files};
use ananke::golden::is_golden;
use ananke::recording::is_recording;

/// The files of reports so far, and those that no report may replace.
pub(super) struct ReportFiles {
    /// Files that the command reads.
    read: Vec<PathBuf>,
    /// The reports, as they are called in messages.
    reports: HashMap<PathBuf, PathBuf>,
}

impl ReportFiles {
    /// No report may replace a file of `read`.
    pub(super) fn new(read: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            read: read.into_iter().collect(),
            reports: HashMap::new(),
        }
    }

    /// Checks that the report at `path`, which messages call `shown`, may replace what is there.
    ///
    /// # Errors
    /// What is there, and what to do.
    pub(super) fn check(&self, path: &Path, shown: &Path) -> io::Result<()> {
        let Ok(real) = fs::canonicalize(path) else {
            return Ok(());
        };
        let what = if !real.is_file() {
            return Ok(());
        } else if is_golden(&Files::default(), &real) {
            "a snapshot"
        } else if is_recording(&real) {
            "a recording"
        } else if real
            .extension()
            .is_some_and(|extension| extension == "yaml" || extension == "yml")
        {
            "a YAML file, as tests and configs are"
        } else if self.reads(&real) {
            "a file that this command reads"
        } else {
            return Ok(());
        };
        Err(refused(&format!(
            "`{}` is {what}, and a report would replace it",
            shown.display()
        )))
    }

    /// Whether the command reads the file that is `real` behind all links. To follow the links of every file would cost more
    /// than to read a small one: only those that may be `real` are followed.
    fn reads(&self, real: &Path) -> bool {
        let may_be = |path: &&PathBuf| path.file_name() == real.file_name() || path.is_symlink();
        self.read
            .iter()
            .filter(may_be)
            .any(|path| fs::canonicalize(path).is_ok_and(|path| path == real))
    }

    /// Adds the report at `path`, whose directory exists.
    ///
    /// # Errors
    /// If there is another report at this path.
    pub(super) fn add(&mut self, path: &Path, shown: &Path) -> io::Result<()> {
        let Ok(Destination::File(file)) = Destination::of(path) else {
            return Ok(());
        };
        let folder = file
            .parent()
            .and_then(|folder| fs::canonicalize(folder).ok())
            .unwrap_or_default();
        let real = folder.join(file.file_name().unwrap_or_default());
        match self.reports.insert(real, shown.to_owned()) {
            None => Ok(()),
            Some(other) if other == shown => Err(refused(&format!(
                "two reports are written to `{}`",
                shown.display()
            ))),
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

//! A file of data that is read row by row.

use std::path::PathBuf;

use super::row::row_problem;
use ananke_base::context::{Files, OpenFile};
use ananke_base::diagnostic::Diagnostic;
use ananke_base::source;

/// A file of data.
#[derive(Debug)]
pub(crate) struct DataFile {
    pub(super) files: Files,
    pub(super) path: PathBuf,
    /// As shown in messages.
    pub(super) name: String,
}

impl DataFile {
    /// Opens the file.
    pub(super) fn open(&self) -> std::io::Result<OpenFile> {
        self.files.open(&self.path)
    }
}

/// A file that cannot be read.
pub(super) fn unreadable(file: &DataFile, error: &std::io::Error) -> Diagnostic {
    row_problem(
        format!("`{}` cannot be read: {}", file.name, source::reason(error)),
        source::remedy(error),
    )
}

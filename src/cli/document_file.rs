//! A file that a document is written to.

use std::path::{Path, PathBuf};

use ananke::model::ReportFormat;
use ananke::report::Documented;

use super::output_files::OutputKind;

/// A file that a document is written to.
#[derive(Clone, Debug)]
pub(crate) struct DocumentFile {
    pub(super) path: PathBuf,
    pub(super) format: ReportFormat,
}

impl DocumentFile {
    /// The file as it is named, and its kind.
    pub(super) fn named(&self) -> (&Path, OutputKind) {
        (&self.path, OutputKind::Report(self.format))
    }

    /// Takes a path whose extension names a format of the document.
    pub(super) fn parse<D: Documented>(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let format = ReportFormat::of(&path).filter(|format| D::FORMATS.contains(format));
        match format {
            Some(format) => Ok(Self { path, format }),
            None => Err(extensions_in_words(
                D::FORMATS.iter().map(|format| format.extension()),
            )),
        }
    }
}

/// The error of a file whose extension is none of these.
pub(super) fn extensions_in_words(extensions: impl Iterator<Item = &'static str>) -> String {
    let mut extensions: Vec<String> = extensions
        .map(|extension| format!("`.{extension}`"))
        .collect();
    let last = extensions.pop().unwrap_or_default();
    let or = if extensions.is_empty() { "" } else { " or " };
    let others = extensions.join(", ");
    format!("the file extension names the format: {others}{or}{last}")
}

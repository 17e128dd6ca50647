//! A file that a comparison goes to.

use std::io;
use std::path::{Path, PathBuf};

use ananke::compare::Comparison;
use ananke::context::write_file;
use ananke::model::ReportFormat;

/// A file that a comparison goes to.
#[derive(Clone, Debug)]
pub(crate) struct ComparisonFile {
    pub(super) path: PathBuf,
    /// Markdown, HTML or JSON.
    pub(super) format: ReportFormat,
}

impl ComparisonFile {
    /// Takes a path whose ending says in which form it is written.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let formats = [
            ReportFormat::Markdown,
            ReportFormat::Html,
            ReportFormat::Json,
        ];
        let format = ReportFormat::of(&path).filter(|format| formats.contains(format));
        let unknown = "the file extension names the format: `.md`, `.html` or `.json`";
        let format = format.ok_or_else(|| unknown.to_owned())?;
        Ok(Self { path, format })
    }

    pub(super) fn write(&self, comparison: &Comparison, destination: &Path) -> io::Result<()> {
        let text = match self.format {
            ReportFormat::Markdown => comparison.markdown(),
            ReportFormat::Html => comparison.html(),
            _ => comparison.json()? + "\n",
        };
        write_file(destination, text.as_bytes())
    }
}

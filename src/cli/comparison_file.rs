//! A file that a comparison goes to.

use std::io;
use std::path::{Path, PathBuf};

use ananke::compare::Comparison;
use ananke::context::write_file;

/// A file that a comparison goes to.
#[derive(Clone, Debug)]
pub(crate) struct ComparisonFile {
    pub(super) path: PathBuf,
    form: ComparisonFormat,
}

#[derive(Clone, Copy, Debug)]
enum ComparisonFormat {
    Markdown,
    Html,
    Json,
}

impl ComparisonFile {
    /// Takes a path whose ending says in which form it is written.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let ending = path
            .extension()
            .map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let form = match ending.as_deref() {
            Some("md") => ComparisonFormat::Markdown,
            Some("html") => ComparisonFormat::Html,
            Some("json") => ComparisonFormat::Json,
            _ => {
                return Err(
                    "the file extension names the format: `.md`, `.html` or `.json`".to_owned(),
                );
            }
        };
        Ok(Self { path, form })
    }

    pub(super) fn write(&self, comparison: &Comparison, destination: &Path) -> io::Result<()> {
        let text = match self.form {
            ComparisonFormat::Markdown => comparison.markdown(),
            ComparisonFormat::Html => comparison.html(),
            ComparisonFormat::Json => comparison.json()? + "\n",
        };
        write_file(destination, text.as_bytes())
    }
}

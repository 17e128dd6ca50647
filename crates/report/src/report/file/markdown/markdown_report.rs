//! Writes the Markdown report when the run is over.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::{MARKER, MarkdownBuilder};
use crate::report::Reporter;
use crate::report::file::{FileOptions, FileReport};
use ananke_base::context::Scratch;
use ananke_trace::outcome::RunEvent;
use ananke_trace::redact::Sealed;

/// The most bytes of the report: people read it in a comment. GitHub takes 65,536 characters.
pub const MOST: usize = 20_000;

/// A Markdown file.
pub struct MarkdownReport {
    destination: PathBuf,
    scratch: Scratch,
    builder: MarkdownBuilder,
}

impl FileReport for MarkdownReport {
    const WORDS: &'static str = "Markdown report of ananke";

    fn is_own(_: &Path, beginning: &str) -> bool {
        beginning.lines().next() == Some(MARKER)
    }

    fn create(destination: &Path, _: &FileOptions) -> io::Result<Self> {
        let scratch = Scratch::beside(destination, "part")?;
        Ok(Self {
            destination: destination.to_owned(),
            scratch,
            builder: MarkdownBuilder::new(MOST),
        })
    }
}

impl Reporter for MarkdownReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.builder.add(event);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.scratch
            .file
            .write_all(self.builder.text(MOST).as_bytes())?;
        self.scratch.put_in_place(&self.destination)
    }
}

//! The report for comments of pull requests: the verdict, then what failed with its transcripts folded in, then what is
//! flaky, in quarantine or slow; tests that passed are only counted.
//!
//! **Invariant:** the text has fewer bytes than a comment may have characters, whatever the run; nothing an agent says is
//! read as Markdown or HTML.

mod failures;
mod gathered;
mod rows;
mod words;

use std::io::{self, Write as _};
use std::path::PathBuf;

pub(super) use gathered::Gathered;
pub(super) use rows::Rows;
pub(super) use words::code;

use super::Reporter;
use crate::context::Scratch;
use crate::redact::Sealed;
use crate::run::RunEvent;

/// The most bytes of the report. GitHub takes 65,536 characters, and no text has more characters than bytes.
pub const MOST: usize = 65_000;

/// A Markdown file.
pub struct MarkdownReport {
    destination: PathBuf,
    scratch: Scratch,
    gathered: Gathered,
}

impl MarkdownReport {
    /// A report that will stand at `path`, whose folders are made. Until it is complete there is only a hidden file
    /// beside it.
    ///
    /// # Errors
    /// Where nothing can be written beside `path`, or `path` is a folder.
    pub fn create(path: impl Into<PathBuf>) -> io::Result<Self> {
        let destination = path.into();
        let scratch = Scratch::beside(&destination, "part")?;
        Ok(Self { destination, scratch, gathered: Gathered::new(MOST) })
    }
}

impl Reporter for MarkdownReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.gathered.add(event);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.scratch.file.write_all(self.gathered.told(MOST).as_bytes())?;
        self.scratch.put_in_place(&self.destination)
    }
}

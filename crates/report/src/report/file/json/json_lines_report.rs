//! The report that programs read as one JSON object per line: a result as each test ends, and a summary as the last line.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::report::file::{FileOptions, FileReport};
use crate::report::{Reporter, reporter::Stream};
use crate::run_document::{RunTotals, last_line, result_line};
use ananke_base::context::Scratch;
use ananke_base::text::escape;
use ananke_trace::outcome::RunEvent;
use ananke_trace::redact::Sealed;

/// Beginnings of the first line.
const BEGINNINGS: [&str; 2] = ["{\"type\":\"result\",", "{\"type\":\"summary\","];

/// Writes a line as each test ends.
pub struct JsonLinesReport {
    out: Out,
    run: RunTotals,
}

enum Out {
    /// A stream that a program reads.
    Stream(Stream),
    /// A file that appears at its place when it is complete.
    File {
        scratch: Scratch,
        destination: PathBuf,
    },
}

impl FileReport for JsonLinesReport {
    const WORDS: &'static str = "report of ananke";

    fn is_own(_: &Path, beginning: &str) -> bool {
        BEGINNINGS.iter().any(|start| beginning.starts_with(start))
    }

    fn create(destination: &Path, _: &FileOptions) -> io::Result<Self> {
        let scratch = Scratch::beside(destination, "part")?;
        Ok(Self::new(Out::File {
            scratch,
            destination: destination.to_owned(),
        }))
    }
}

impl JsonLinesReport {
    /// A report on `out`. A reader that goes away ends the writing, not the run.
    pub fn stream(out: Box<dyn Write + Send>) -> Self {
        Self::new(Out::Stream(Stream::new(out)))
    }

    fn new(out: Out) -> Self {
        Self {
            out,
            run: RunTotals::default(),
        }
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        // What JSON leaves as it is could still control a terminal, or a CI server that reads the output.
        let line = escape::json(line).into_owned() + "\n";
        match &mut self.out {
            Out::File {
                scratch,
                destination: _,
            } => scratch.file.write_all(line.as_bytes()),
            Out::Stream(stream) => stream.print(&line),
        }
    }
}

impl Reporter for JsonLinesReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.run.add(event);
        match &**event {
            RunEvent::CaseFinished(outcome) => self.line(&result_line(outcome)?),
            _ => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.line(&last_line(&self.run)?)?;
        match self.out {
            Out::File {
                scratch,
                destination,
            } => scratch.put_in_place(&destination),
            Out::Stream(_) => Ok(()),
        }
    }
}

//! The report that programs read as one value: `{version, run, summary, results}`, a result a line.
//!
//! A finished test goes to a scratch file at once; what stays in memory are the numbers of the summary. The end of the
//! run writes the head, copies the results after it and moves the whole into place.

use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::report::Reporter;
use crate::report::file::{FileOptions, FileReport};
use crate::run_document::{ResultLine, RunTotals, SummaryLine, VERSION};
use ananke_base::context::Scratch;
use ananke_base::text::escape;
use ananke_trace::outcome::RunEvent;
use ananke_trace::redact::Sealed;

/// The beginning of every JSON document of ananke, and what follows soon.
const BEGINNING: (&str, &str) = ("{\"version\":\"", "\"run\":{\"ananke\":");

/// One JSON file of a run.
pub struct JsonReport {
    destination: PathBuf,
    results: Scratch,
    run: RunTotals,
}

impl FileReport for JsonReport {
    const WORDS: &'static str = "report of ananke";

    fn is_own(_: &Path, beginning: &str) -> bool {
        let (start, soon) = BEGINNING;
        beginning.starts_with(start) && beginning.contains(soon)
    }

    fn create(destination: &Path, _: &FileOptions) -> io::Result<Self> {
        let results = Scratch::beside(destination, "spool")?;
        Ok(Self {
            destination: destination.to_owned(),
            results,
            run: RunTotals::default(),
        })
    }
}

impl JsonReport {
    /// A report that is at no place: it is only written to what [`write`](Self::write) gets.
    pub(super) fn private() -> io::Result<Self> {
        let (destination, results) = (PathBuf::new(), Scratch::private()?);
        Ok(Self {
            destination,
            results,
            run: RunTotals::default(),
        })
    }

    /// The size of the results so far, in bytes.
    pub(super) fn size(&self) -> io::Result<u64> {
        Ok(self.results.file.metadata()?.len())
    }

    pub(super) fn write(&mut self, mut out: impl Write) -> io::Result<()> {
        write!(
            out,
            "{{\"version\":\"{VERSION}\",\"run\":{},\"summary\":{},\"results\":[",
            harmless(&self.run.facts)?,
            harmless(&SummaryLine::of(&self.run))?
        )?;
        self.results.file.rewind()?;
        io::copy(&mut self.results.file, &mut out)?;
        out.write_all(if self.run.totals.tests() == 0 {
            b"]}\n"
        } else {
            b"\n]}\n"
        })?;
        out.flush()
    }
}

impl Reporter for JsonReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        if let RunEvent::CaseFinished(outcome) = &**event {
            let before = if self.run.totals.tests() == 0 {
                "\n"
            } else {
                ",\n"
            };
            let result = harmless(&ResultLine::of(outcome))?;
            self.results
                .file
                .write_all(format!("{before}{result}").as_bytes())?;
        }
        self.run.add(event);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let whole = Scratch::beside(&self.destination, "part")?;
        self.write(BufWriter::new(&whole.file))?;
        whole.put_in_place(&self.destination)
    }
}

fn harmless(value: &impl Serialize) -> io::Result<String> {
    Ok(escape::json(&serde_json::to_string(value)?).into_owned())
}

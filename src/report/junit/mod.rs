//! The report that build servers read: JUnit XML, one suite a test file, one case a test.
//!
//! A finished test goes to a spool file at once; what stays in memory is a few numbers a test file. The end of the run
//! writes the head with the totals, copies the spool below it and moves the whole into place.

mod case;
mod element;

use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use quick_xml::Writer;

use super::scratch::Scratch;
use super::{Reporter, duration, timestamp};
use crate::outcome::{Outcome, Totals};
use crate::redact::Sealed;
use crate::run::RunEvent;
use element::Element;

/// A report in a file.
pub struct JunitReport {
    destination: PathBuf,
    spool: Scratch,
    spooled: u64,
    suites: IndexMap<String, Suite>,
    started_unix_ms: u64,
    elapsed_us: Option<u64>,
}

/// What is kept of the tests of one file.
#[derive(Debug, Default)]
struct Suite {
    totals: Totals,
    started_unix_ms: u64,
    /// Where the spool holds its cases.
    ranges: Vec<Range<u64>>,
}

impl JunitReport {
    /// A report that will stand at `path`, whose folders are made. Until it is complete there are only hidden files
    /// beside it.
    ///
    /// # Errors
    /// Where nothing can be written beside `path`, or `path` is a folder.
    pub fn create(path: impl Into<PathBuf>) -> io::Result<Self> {
        let destination = path.into();
        Ok(Self {
            spool: Scratch::beside(&destination, "spool")?,
            destination,
            spooled: 0,
            suites: IndexMap::new(),
            started_unix_ms: 0,
            elapsed_us: None,
        })
    }

    /// Where the report will stand.
    pub fn path(&self) -> &Path {
        &self.destination
    }

    fn case(&mut self, outcome: &Outcome) -> io::Result<()> {
        let mut xml = Vec::new();
        case::write(&mut Writer::new(&mut xml), outcome)?;
        // What a failed write left behind is written over.
        self.spool.file.seek(SeekFrom::Start(self.spooled))?;
        self.spool.file.write_all(&xml)?;
        let range = self.spooled..self.spooled + xml.len() as u64;
        self.spooled = range.end;

        let suite = self
            .suites
            .entry(outcome.file.clone())
            .or_insert_with(|| Suite { started_unix_ms: outcome.started_unix_ms, ..Suite::default() });
        suite.totals.add(outcome.status, outcome.duration_us);
        match suite.ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => suite.ranges.push(range),
        }
        Ok(())
    }

    fn write(&mut self, out: impl Write) -> io::Result<()> {
        let mut all = Totals::default();
        for suite in self.suites.values() {
            all = sum(&all, &suite.totals);
        }
        all.duration_us = self.elapsed_us.unwrap_or(all.duration_us);
        let mut writer = Writer::new(out);
        writer.get_mut().write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        let root = counted(Element::new("testsuites", 0), "ananke", &all, self.started_unix_ms);
        if self.suites.is_empty() {
            root.empty(&mut writer)?;
        } else {
            root.open(&mut writer)?;
            for (file, suite) in &self.suites {
                let element =
                    counted(Element::new("testsuite", 1), file, &suite.totals, suite.started_unix_ms);
                element.open(&mut writer)?;
                for range in &suite.ranges {
                    self.spool.file.seek(SeekFrom::Start(range.start))?;
                    let length = range.end - range.start;
                    let copied = io::copy(&mut (&self.spool.file).take(length), writer.get_mut())?;
                    if copied < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                element.close(&mut writer)?;
            }
            root.close(&mut writer)?;
        }
        writer.get_mut().write_all(b"\n")?;
        writer.get_mut().flush()
    }
}

impl Reporter for JunitReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        match &**event {
            RunEvent::RunStarted { tests: _, unix_ms } => self.started_unix_ms = *unix_ms,
            RunEvent::CaseStarted { .. } | RunEvent::TurnStarted { .. } => {}
            RunEvent::CaseFinished(outcome) => self.case(outcome)?,
            RunEvent::RunFinished { totals: _, elapsed_us } => self.elapsed_us = Some(*elapsed_us),
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let whole = Scratch::beside(&self.destination, "part")?;
        self.write(BufWriter::new(&whole.file))?;
        whole.put_in_place(&self.destination)
    }
}

/// The attributes that suites and the whole have in common. A time-out is an error to every reader of JUnit.
fn counted(element: Element, name: &str, totals: &Totals, started_unix_ms: u64) -> Element {
    element
        .with("name", name)
        .with("tests", &totals.tests().to_string())
        .with("failures", &totals.failed.to_string())
        .with("errors", &(totals.error + totals.timeout).to_string())
        .with("skipped", &totals.skipped.to_string())
        .with("time", &duration::in_seconds(totals.duration_us))
        .with("timestamp", &timestamp::iso(started_unix_ms))
}

fn sum(one: &Totals, other: &Totals) -> Totals {
    Totals {
        passed: one.passed + other.passed,
        failed: one.failed + other.failed,
        error: one.error + other.error,
        timeout: one.timeout + other.timeout,
        skipped: one.skipped + other.skipped,
        duration_us: one.duration_us.saturating_add(other.duration_us),
    }
}

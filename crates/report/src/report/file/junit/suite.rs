//! The tests of one file as a suite.

use std::io::{self, Write};

use quick_xml::Writer;

use super::spool::{PieceRanges, SuiteSpool};
use super::{Element, words};
use crate::report::words::run_facts::RunFact;
use ananke_base::context::iso8601;
use ananke_trace::outcome::{Outcome, Totals};

use ananke_base::text::escape;

/// The depth of suites in the document.
const SUITE_DEPTH: usize = 1;

/// The most bytes of transcripts that the strict profile keeps of one file.
const MOST_ACCOUNTS: usize = 1 << 20;

/// The tests of one file, as far as they are kept.
#[derive(Debug, Default)]
pub(super) struct Suite {
    pub(super) totals: Totals,
    class: String,
    pub(super) cases: PieceRanges,
    started_unix_ms: u64,
    accounts: PieceRanges,
    accounts_bytes: usize,
    accounts_left_out: usize,
    /// Whether the duration of a test is known.
    is_timed: bool,
}

impl Suite {
    pub(super) fn new(class: String, started_unix_ms: u64) -> Self {
        Self {
            class,
            started_unix_ms,
            ..Self::default()
        }
    }

    /// Counts a test.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.totals.add(outcome);
        self.is_timed |= outcome.transcript.duration().is_some();
    }

    /// Adds the account of one more case, made by [`super::element::content`], while there is room.
    pub(super) fn account(&mut self, spool: &mut SuiteSpool, account: &str) -> io::Result<()> {
        if self.accounts_left_out > 0 || self.accounts_bytes + account.len() > MOST_ACCOUNTS {
            self.accounts_left_out += 1;
            return Ok(());
        }
        self.accounts_bytes += account.len();
        spool.add(&mut self.accounts, account.as_bytes())
    }

    /// Writes the suite of the default profile.
    pub(super) fn write<W: Write>(
        &self,
        writer: &mut Writer<W>,
        name: &str,
        facts: &[RunFact],
        cases: &mut SuiteSpool,
    ) -> io::Result<()> {
        let element = Element::new("testsuite", SUITE_DEPTH).with("name", &escape::line(name));
        let element = with_counts(element, &self.totals);
        let element = if self.is_timed {
            element.with("time", &words::in_seconds(self.totals.duration_us))
        } else {
            element
        };
        let element = element.with("timestamp", &iso8601(self.started_unix_ms));
        element.open(writer)?;
        properties(writer, facts)?;
        cases.copy(&self.cases, writer.get_mut())?;
        element.close(writer)
    }

    /// Writes the suite of the strict profile; the order of its parts is the schema's.
    pub(super) fn write_strict<W: Write>(
        &self,
        writer: &mut Writer<W>,
        number: usize,
        facts: &[RunFact],
        (cases, accounts): (&mut SuiteSpool, &mut SuiteSpool),
    ) -> io::Result<()> {
        let (package, name) = self.class.rsplit_once('.').unwrap_or(("", &self.class));
        let name = if name.trim().is_empty() {
            "tests"
        } else {
            name
        };
        let element = Element::new("testsuite", SUITE_DEPTH)
            .with("id", &number.to_string())
            .with("package", &escape::line(package))
            .with("name", &escape::line(name))
            .with(
                "timestamp",
                &iso8601(self.started_unix_ms)[.."2026-11-21T22:08:00".len()],
            )
            // The schema requires a host; a report is the same on every machine.
            .with("hostname", "localhost");
        let element = with_counts(element, &self.totals)
            .with("time", &words::in_seconds(self.totals.duration_us));
        element.open(writer)?;
        properties(writer, facts)?;
        cases.copy(&self.cases, writer.get_mut())?;
        Element::new("system-out", SUITE_DEPTH + 1).around(writer, |out| {
            accounts.copy(&self.accounts, out)?;
            match self.accounts_left_out {
                0 => Ok(()),
                1 => writeln!(out, "… (the transcript of 1 more test is omitted)"),
                more => writeln!(out, "… (the transcripts of {more} more tests are omitted)"),
            }
        })?;
        Element::new("system-err", SUITE_DEPTH + 1).empty(writer)?;
        element.close(writer)
    }
}

/// Writes the facts of the run, its duration and its tokens; the schemas have a place for it in a suite alone.
fn properties<W: Write>(writer: &mut Writer<W>, facts: &[RunFact]) -> io::Result<()> {
    let properties = Element::new("properties", SUITE_DEPTH + 1);
    properties.open(writer)?;
    for RunFact { name, value } in facts {
        Element::new("property", SUITE_DEPTH + 2)
            .with("name", name)
            .with("value", &escape::line(value))
            .empty(writer)?;
    }
    properties.close(writer)
}

/// A timeout is an error to every reader of JUnit, as is a test without a verdict. A test in quarantine that does not pass is skipped.
pub(super) fn with_counts(element: Element, totals: &Totals) -> Element {
    element
        .with("tests", &totals.tests().to_string())
        .with("failures", &totals.failed.to_string())
        .with(
            "errors",
            &(totals.error + totals.timeout + totals.undecided + totals.not_shown).to_string(),
        )
        .with(
            "skipped",
            &(totals.skipped + totals.quarantined).to_string(),
        )
}

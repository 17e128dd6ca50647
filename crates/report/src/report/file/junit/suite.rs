//! The tests of one file as a suite.

use std::io::{self, Write};

use quick_xml::Writer;

use super::spool::{PieceRanges, SuiteSpool};
use super::{Element, words};
use crate::report::words::run_facts::RunFact;
use ananke_base::context::iso8601;
use ananke_trace::outcome::{Causes, Outcome, Totals};

use ananke_base::text::escape;

/// The depth of suites in the document.
const SUITE_DEPTH: usize = 1;

/// The most bytes of transcripts that the strict profile keeps of one file.
const MOST_ACCOUNTS: usize = 1 << 20;

/// The counts of tests as readers of JUnit know them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SuiteCounts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    duration_us: u64,
}

impl SuiteCounts {
    /// Those of `totals`. A timeout is an error to every reader of JUnit, as is a test without a verdict. A test in quarantine that
    /// does not pass is skipped.
    pub(super) fn of(totals: &Totals) -> Self {
        Self {
            tests: totals.tests(),
            failures: totals.failed,
            errors: totals.error + totals.timeout + totals.undecided + totals.not_shown,
            skipped: totals.skipped + totals.quarantined,
            duration_us: totals.duration_us,
        }
    }

    /// Counts a test.
    fn add(&mut self, outcome: &Outcome) {
        let mut totals = Totals::default();
        totals.add(outcome);
        let of_test = Self::of(&totals);
        self.tests += of_test.tests;
        self.failures += of_test.failures;
        self.errors += of_test.errors;
        self.skipped += of_test.skipped;
        self.duration_us += of_test.duration_us;
    }

    /// Adds the counts to an element.
    pub(super) fn on(self, element: Element) -> Element {
        element
            .with("tests", &self.tests.to_string())
            .with("failures", &self.failures.to_string())
            .with("errors", &self.errors.to_string())
            .with("skipped", &self.skipped.to_string())
    }
}

/// The tests of one file, as far as they are kept: a run has as many as it has files.
#[derive(Debug, Default)]
pub(super) struct Suite {
    counts: SuiteCounts,
    pub(super) cases: PieceRanges,
    started_unix_ms: u64,
    /// Whether the duration of a test is known.
    is_timed: bool,
    /// The accounts of the strict profile.
    accounts: Option<Box<SuiteAccounts>>,
}

/// The transcripts of the tests of one file.
#[derive(Debug, Default)]
struct SuiteAccounts {
    class: String,
    pieces: PieceRanges,
    bytes: usize,
    left_out: usize,
}

impl Suite {
    /// A suite that began at a moment; with its class for the strict profile.
    pub(super) fn new(class: Option<String>, started_unix_ms: u64) -> Self {
        let of_class = |class| SuiteAccounts {
            class,
            ..SuiteAccounts::default()
        };
        Self {
            started_unix_ms,
            accounts: class.map(of_class).map(Box::new),
            ..Self::default()
        }
    }

    /// The sum of the durations, in microseconds; `None` if none is known.
    pub(super) fn time_us(&self) -> Option<u64> {
        if self.is_timed {
            Some(self.counts.duration_us)
        } else {
            None
        }
    }

    /// Counts a test.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.counts.add(outcome);
        self.is_timed |= outcome.transcript.duration().is_some();
    }

    /// Adds the account of one more case, made by [`super::element::content`], while there is room.
    pub(super) fn account(&mut self, spool: &mut SuiteSpool, account: &str) -> io::Result<()> {
        let accounts = self.accounts.get_or_insert_default();
        if accounts.left_out > 0 || accounts.bytes + account.len() > MOST_ACCOUNTS {
            accounts.left_out += 1;
            return Ok(());
        }
        accounts.bytes += account.len();
        spool.add(&mut accounts.pieces, account.as_bytes())
    }

    /// Writes the suite of the default profile.
    pub(super) fn write<W: Write>(
        &self,
        writer: &mut Writer<W>,
        (name, facts): (&str, &[RunFact]),
        cases: &mut SuiteSpool,
        found: &Causes,
    ) -> io::Result<()> {
        let element = Element::new("testsuite", SUITE_DEPTH).with("name", &escape::line(name));
        let element = self.counts.on(element);
        let element = timed(element, self.time_us());
        let element = element.with("timestamp", &iso8601(self.started_unix_ms));
        element.open(writer)?;
        properties(writer, facts)?;
        cases.copy(&self.cases, found, writer.get_mut())?;
        element.close(writer)
    }

    /// Writes the suite of the strict profile; the order of its parts is the schema's.
    pub(super) fn write_strict<W: Write>(
        &self,
        writer: &mut Writer<W>,
        number: usize,
        facts: &[RunFact],
        (cases, accounts): (&mut SuiteSpool, &mut SuiteSpool),
        found: &Causes,
    ) -> io::Result<()> {
        let own = self.accounts.as_deref();
        let class = own.map_or("", |own| &own.class);
        let (package, name) = class.rsplit_once('.').unwrap_or(("", class));
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
        let element = self.counts.on(element);
        let element = element.with("time", &words::in_seconds(self.counts.duration_us));
        element.open(writer)?;
        properties(writer, facts)?;
        cases.copy(&self.cases, found, writer.get_mut())?;
        Element::new("system-out", SUITE_DEPTH + 1).around(writer, |out| {
            let Some(own) = own else { return Ok(()) };
            accounts.copy(&own.pieces, found, out)?;
            match own.left_out {
                0 => Ok(()),
                1 => writeln!(out, "… (the transcript of 1 more test is omitted)"),
                more => writeln!(out, "… (the transcripts of {more} more tests are omitted)"),
            }
        })?;
        Element::new("system-err", SUITE_DEPTH + 1).empty(writer)?;
        element.close(writer)
    }
}

/// Adds a time to an element, if it is known.
pub(super) fn timed(element: Element, time_us: Option<u64>) -> Element {
    match time_us {
        Some(us) => element.with("time", &words::in_seconds(us)),
        None => element,
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

//! Writes the HTML report.
//!
//! What is known of a finished test goes to scratch files at once: a row for the list, its transcript, and for those that
//! did not pass what a browser without scripts shows. The end of the run writes the head, which every reader sees first,
//! and copies them after it.

use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use indexmap::IndexSet;

use super::view::{KINDS, KindCounts};
use super::{markup, page, picks, view};
use crate::report::Reporter;
use crate::report::file::{FileOptions, FileReport};
use crate::report::transcript::{TranscriptScope, TranscriptStyle, attempts, transcript};
use crate::report::words::run_facts::run_facts;
use crate::run_document::{RunTotals, SummaryLine};
use ananke_base::context::Scratch;
use ananke_trace::outcome::{Outcome, RunEvent};
use ananke_trace::redact::Sealed;

/// The most tests that did not pass in the part for browsers without scripts.
const MOST_PLAIN: usize = 100;

/// The number of targets that the head names.
const MOST_TARGETS: usize = 20;

/// One HTML file of a run.
pub struct HtmlReport {
    destination: PathBuf,
    rows: Scratch,
    stories: Scratch,
    plain: Scratch,
    /// The number of tests that did not pass.
    not_passed: usize,
    kinds: KindCounts,
    targets: IndexSet<String>,
    run: RunTotals,
}

impl FileReport for HtmlReport {
    const WORDS: &'static str = "HTML page of ananke";

    fn is_own(_: &Path, beginning: &str) -> bool {
        beginning.contains("<meta name=\"generator\" content=\"ananke\">")
    }

    fn create(destination: &Path, _: &FileOptions) -> io::Result<Self> {
        Ok(Self {
            rows: Scratch::beside(destination, "rows")?,
            stories: Scratch::beside(destination, "stories")?,
            plain: Scratch::beside(destination, "plain")?,
            destination: destination.to_owned(),
            not_passed: 0,
            kinds: KindCounts::default(),
            targets: IndexSet::new(),
            run: RunTotals::default(),
        })
    }
}

impl HtmlReport {
    fn case(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.kinds.add(outcome);
        let number = self.run.totals.tests();
        let before = if number == 0 { "\n" } else { ",\n" };
        let row = markup::json(&view::TestRow::of(outcome))?;
        self.rows
            .file
            .write_all(format!("{before}{row}").as_bytes())?;
        let test = markup::json(&view::TestDetails::of(outcome))?;
        self.stories
            .file
            .write_all(markup::data(&format!("test-{number}"), &test).as_bytes())?;
        if outcome.status().fails_the_run() {
            if self.not_passed < MOST_PLAIN {
                self.plain
                    .file
                    .write_all(plain_section(outcome).as_bytes())?;
            }
            self.not_passed += 1;
        }
        if self.targets.len() < MOST_TARGETS && !self.targets.contains(&outcome.test.target) {
            self.targets.insert(outcome.test.target.clone());
        }
        Ok(())
    }

    fn write(&mut self, mut out: impl Write) -> io::Result<()> {
        let summary = SummaryLine::of(&self.run);
        let facts = run_facts(&self.run);
        page::head(&mut out, &summary, (&self.kinds, &self.targets), &facts)?;
        picks::picks(&mut out, &self.run.picks)?;
        page::open_main(&mut out)?;
        open_plain(&mut out, self.not_passed)?;
        copy(&mut self.plain, &mut out)?;
        close_plain(&mut out, self.not_passed.saturating_sub(MOST_PLAIN))?;
        out.write_all(markup::data("summary", &markup::json(&summary)?).as_bytes())?;
        out.write_all(markup::data("kinds", &markup::json(&KINDS)?).as_bytes())?;
        out.write_all(markup::data_begin("tests").as_bytes())?;
        out.write_all(b"[")?;
        copy(&mut self.rows, &mut out)?;
        out.write_all(b"\n]")?;
        out.write_all(markup::DATA_END.as_bytes())?;
        page::script(&mut out)?;
        copy(&mut self.stories, &mut out)?;
        out.write_all(page::FOOT)?;
        out.flush()
    }
}

fn copy(from: &mut Scratch, out: &mut impl Write) -> io::Result<()> {
    from.file.rewind()?;
    io::copy(&mut from.file, out)?;
    Ok(())
}

impl Reporter for HtmlReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        if let RunEvent::CaseFinished(outcome) = &**event {
            self.case(outcome)?;
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

/// The part before these tests.
fn open_plain(out: &mut impl Write, not_passed: usize) -> io::Result<()> {
    out.write_all(b"<noscript>\n<p class=\"notice\">This page needs scripts to show every test. ")?;
    let result: &[u8] = if not_passed == 0 {
        b"Every test that ran passed."
    } else {
        b"These tests did not pass:"
    };
    out.write_all(result)?;
    out.write_all(b"</p>\n")
}

/// One of them.
fn plain_section(outcome: &Outcome) -> String {
    let style = TranscriptStyle::for_files(TranscriptScope::Excerpt);
    let story = attempts(outcome, style) + &transcript(outcome, style);
    let change = outcome
        .change
        .map(|change| format!(", {}", change.as_str()));
    format!(
        "<section class=\"plain\"><h2>{}{}: {}</h2>\n<pre>\n{}</pre></section>\n",
        outcome.status().words(),
        change.unwrap_or_default(),
        markup::line(&outcome.test.id),
        markup::lines(&story)
    )
}

/// The part after these tests; `further` more are only counted.
fn close_plain(out: &mut impl Write, further: usize) -> io::Result<()> {
    if further > 0 {
        writeln!(out, "<p class=\"notice\">… and {further} more</p>")?;
    }
    out.write_all(b"</noscript>\n")
}

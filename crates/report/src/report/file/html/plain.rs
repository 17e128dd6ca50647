//! The view of the tests that did not pass for browsers without scripts.

use std::io::{self, Write};

use super::markup;
use crate::report::transcript::attempts;
use crate::report::transcript::{TranscriptScope, TranscriptStyle, transcript};
use ananke_trace::outcome::Outcome;

/// The part before these tests.
pub(super) fn open(out: &mut impl Write, not_passed: usize) -> io::Result<()> {
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
pub(super) fn section(outcome: &Outcome) -> String {
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
pub(super) fn close(out: &mut impl Write, further: usize) -> io::Result<()> {
    if further > 0 {
        writeln!(out, "<p class=\"notice\">… and {further} more</p>")?;
    }
    out.write_all(b"</noscript>\n")
}

//! The attempts at a test in addition to the one whose transcript is shown, for people.

use anstyle::Style;

use super::{TranscriptScope, TranscriptStyle, runs::runs, transcript};
use crate::report::layout::{Page, mark};
use crate::report::words::walks::{all_passed, details, summary};
use ananke_base::text::{duration, escape, truncate};
use ananke_trace::outcome::Outcome;
use ananke_trace::process::in_one_line;

/// The most characters of a finding on one line.
const LONGEST: usize = 200;

/// The results of the other attempts at `outcome`: its runs, the other side of a comparison, its retries; empty if there
/// was a single attempt. With [`TranscriptScope::Everything`] each has its transcript, else its first finding alone.
pub(crate) fn attempts(outcome: &Outcome, style: TranscriptStyle) -> String {
    let mut page = Page::of_width(style.width);
    other_side(&mut page, outcome, style);
    runs(&mut page, outcome, style);
    walks(&mut page, outcome, style);
    earlier_attempts(&mut page, outcome, style);
    truncate::lines(&page.into_text(), style.whole).into_owned()
}

/// The side of a comparison that did not pass, if the other did.
fn other_side(page: &mut Page, outcome: &Outcome, style: TranscriptStyle) {
    let Some(other) = outcome.other_side() else {
        return;
    };
    page.space(style.indent);
    page.hang_at(style.indent + 2);
    page.put(style.palette.strong, "the other time");
    page.space(2);
    page.put(style.palette.of(other.status()), other.status().as_str());
    if style.scope == TranscriptScope::Everything {
        page.end();
        let style = TranscriptStyle {
            indent: style.indent + 2,
            ..style
        };
        runs(page, other, style);
        page.lines(&transcript(other, style));
    } else {
        first_finding(page, other, None, style);
        page.end();
    }
}

/// Every attempt but the last, and the heading of the last.
fn earlier_attempts(page: &mut Page, outcome: &Outcome, style: TranscriptStyle) {
    if outcome.earlier_attempts.is_empty() {
        return;
    }
    let last = outcome
        .headline()
        .filter(|_| outcome.status().fails_the_run());
    let mut before = None;
    for (number, attempt) in (1..).zip(&outcome.earlier_attempts) {
        heading(page, attempt, (number, outcome.attempt()), style);
        if style.scope == TranscriptScope::Everything {
            page.end();
            page.lines(&transcript(
                attempt,
                TranscriptStyle {
                    indent: style.indent + 2,
                    ..style
                },
            ));
        } else {
            let found = attempt.headline();
            let as_last = (found == last).then_some("as the last attempt");
            let same = as_last.or_else(|| (found == before).then_some("the same again"));
            first_finding(page, attempt, same, style);
            page.end();
            before = found;
        }
    }
    heading(page, outcome, (outcome.attempt(), outcome.attempt()), style);
    page.end();
}

fn heading(
    page: &mut Page,
    attempt: &Outcome,
    (number, of): (usize, usize),
    style: TranscriptStyle,
) {
    let palette = style.palette;
    page.space(style.indent);
    page.hang_at(style.indent + 2);
    page.put(palette.strong, &format!("attempt {number} of {of}"));
    page.space(2);
    page.put(palette.of(attempt.status()), attempt.status().as_str());
    if let Some(took) = attempt.transcript.duration() {
        page.space(2);
        page.put(palette.faint, &duration::rounded(took));
    }
}

/// The first finding of an attempt, or which other attempt has the same.
fn first_finding(page: &mut Page, attempt: &Outcome, same: Option<&str>, style: TranscriptStyle) {
    let Some((_, message)) = attempt.headline() else {
        return;
    };
    page.space(2);
    if let Some(same) = same {
        return page.put(style.palette.faint, same);
    }
    page.put(style.palette.failed, mark(attempt.status()));
    page.space(1);
    let message = in_one_line(message);
    page.put(
        Style::new(),
        &escape::line(&truncate::chars(&message, style.item.min(LONGEST))),
    );
}

/// The most characters of a line.
const MOST_ACTIONS: usize = 2000;

/// Writes the results of the walks of `outcome`; nothing for a test without, and in short for one whose walks all
/// passed.
pub(super) fn walks(page: &mut Page, outcome: &Outcome, style: TranscriptStyle) {
    let Some(walks) = outcome.walks.as_deref() else {
        return;
    };
    if style.scope != TranscriptScope::Everything && all_passed(outcome).is_some() {
        return;
    }
    let mut line = |text: &str, look: Style| {
        page.space(style.indent);
        page.hang_at(style.indent + 2);
        page.line(look, &escape::line(&truncate::chars(text, MOST_ACTIONS)));
    };
    line(&summary(walks), style.palette.of(outcome.status()));
    for text in details(walks) {
        line(&text, style.palette.faint);
    }
}

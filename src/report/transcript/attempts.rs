//! The attempts of a retried test before its last one, for people.

use anstyle::Style;

use super::style::{TranscriptScope, TranscriptStyle};
use super::writer::transcript;
use crate::outcome::Outcome;
use crate::report::layout::Page;
use crate::report::layout::mark;
use crate::text::{duration, escape, truncate};

/// The most characters of a finding on one line.
const LONGEST: usize = 200;

/// Every attempt but the last, and the heading of the last; empty if the first was the only one. With
/// [`TranscriptScope::Everything`] each has its transcript, else its first finding alone.
pub(crate) fn earlier_attempts(outcome: &Outcome, style: TranscriptStyle) -> String {
    let mut page = Page::of_width(style.width);
    if outcome.earlier_attempts.is_empty() {
        return String::new();
    }
    let last = outcome.headline().filter(|_| outcome.status().fails_the_run());
    let mut before = None;
    for (number, attempt) in (1..).zip(&outcome.earlier_attempts) {
        heading(&mut page, attempt, (number, outcome.attempt()), style);
        if style.scope == TranscriptScope::Everything {
            page.end();
            page.lines(&transcript(attempt, TranscriptStyle { indent: style.indent + 2, ..style }));
        } else {
            let found = attempt.headline();
            let as_last = (found == last).then_some("as the last attempt");
            let same = as_last.or_else(|| (found == before).then_some("the same again"));
            first_finding(&mut page, attempt, same, style);
            page.end();
            before = found;
        }
    }
    heading(&mut page, outcome, (outcome.attempt(), outcome.attempt()), style);
    page.end();
    truncate::lines(&page.into_text(), style.whole).into_owned()
}

fn heading(page: &mut Page, attempt: &Outcome, (number, of): (usize, usize), style: TranscriptStyle) {
    let palette = style.palette;
    page.space(style.indent);
    page.hang_at(style.indent + 2);
    page.put(palette.strong, &format!("attempt {number} of {of}"));
    page.space(2);
    page.put(palette.of(attempt.status()), attempt.status().as_str());
    page.space(2);
    page.put(palette.faint, &duration::rounded(attempt.transcript.duration_us));
}

/// The first finding of an attempt, or which other attempt has the same.
fn first_finding(page: &mut Page, attempt: &Outcome, same: Option<&str>, style: TranscriptStyle) {
    let Some((_, message)) = attempt.headline() else { return };
    page.space(2);
    if let Some(same) = same {
        return page.put(style.palette.faint, same);
    }
    page.put(style.palette.failed, mark(attempt.status()));
    page.space(1);
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    page.put(Style::new(), &escape::line(&truncate::chars(&message, style.item.min(LONGEST))));
}

//! What came of a test before its last attempt, for people.

use anstyle::Style;

use super::page::Page;
use super::palette::mark;
use super::transcript::{Scope, Telling, tell};
use super::{duration, text};
use crate::outcome::Outcome;

/// Tells every attempt but the last, and the heading of that one; empty where the first was the only one. What was
/// said is told where everything is, else the first finding alone.
pub(super) fn earlier(outcome: &Outcome, telling: Telling) -> String {
    let mut page = Page::default();
    if outcome.earlier_attempts.is_empty() {
        return page.0;
    }
    for (number, attempt) in (1..).zip(&outcome.earlier_attempts) {
        heading(&mut page, attempt, (number, outcome.attempt()), telling);
        if telling.scope == Scope::Everything {
            page.plain(&tell(attempt, Telling { indent: telling.indent + 2, ..telling }));
        } else {
            first_finding(&mut page, attempt, telling);
        }
    }
    heading(&mut page, outcome, (outcome.attempt(), outcome.attempt()), telling);
    text::bounded_lines(&page.0, telling.whole).into_owned()
}

fn heading(page: &mut Page, attempt: &Outcome, (number, of): (usize, usize), telling: Telling) {
    let palette = telling.palette;
    page.space(telling.indent);
    page.put(palette.strong, &format!("attempt {number} of {of}"));
    page.space(2);
    page.put(palette.of(attempt.status), attempt.status.as_str());
    page.space(2);
    page.put(palette.faint, &duration::for_people(attempt.duration_us));
    page.end();
}

fn first_finding(page: &mut Page, attempt: &Outcome, telling: Telling) {
    let Some((_, message)) = attempt.headline() else { return };
    page.space(telling.indent + 2);
    page.put(telling.palette.failed, mark(attempt.status));
    page.space(1);
    page.put(Style::new(), &text::line(&text::bounded(message, telling.item)));
    page.end();
}

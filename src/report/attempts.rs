//! What came of a test before its last attempt, for people.

use anstyle::Style;

use super::duration;
use super::page::Page;
use super::palette::mark;
use super::transcript::{Scope, Telling, tell};
use crate::outcome::Outcome;
use crate::text::{escape, truncate};

/// The most bytes of a finding that is told in one line.
const LONGEST: usize = 200;

/// Tells every attempt but the last, and the heading of that one; empty where the first was the only one. What was
/// said is told where everything is, else the first finding alone.
pub(super) fn earlier(outcome: &Outcome, telling: Telling) -> String {
    let mut page = Page::of_width(telling.width);
    if outcome.earlier_attempts.is_empty() {
        return String::new();
    }
    let last = outcome.headline().filter(|_| outcome.status().fails_the_run());
    let mut before = None;
    for (number, attempt) in (1..).zip(&outcome.earlier_attempts) {
        heading(&mut page, attempt, (number, outcome.attempt()), telling);
        if telling.scope == Scope::Everything {
            page.end();
            page.lines(&tell(attempt, Telling { indent: telling.indent + 2, ..telling }));
        } else {
            let found = attempt.headline();
            let as_last = (found == last).then_some("as the last attempt");
            let told = as_last.or_else(|| (found == before).then_some("the same again"));
            first_finding(&mut page, attempt, told, telling);
            page.end();
            before = found;
        }
    }
    heading(&mut page, outcome, (outcome.attempt(), outcome.attempt()), telling);
    page.end();
    truncate::lines(&page.into_text(), telling.whole).into_owned()
}

fn heading(page: &mut Page, attempt: &Outcome, (number, of): (usize, usize), telling: Telling) {
    let palette = telling.palette;
    page.space(telling.indent);
    page.hang_at(telling.indent + 2);
    page.put(palette.strong, &format!("attempt {number} of {of}"));
    page.space(2);
    page.put(palette.of(attempt.status()), attempt.status().as_str());
    page.space(2);
    page.put(palette.faint, &duration::for_people(attempt.duration_us));
}

/// What was wrong with an attempt, or where else that is told.
fn first_finding(page: &mut Page, attempt: &Outcome, told: Option<&str>, telling: Telling) {
    let Some((_, message)) = attempt.headline() else { return };
    page.space(2);
    if let Some(told) = told {
        return page.put(telling.palette.faint, told);
    }
    page.put(telling.palette.failed, mark(attempt.status()));
    page.space(1);
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    page.put(Style::new(), &escape::line(&truncate::bytes(&message, telling.item.min(LONGEST))));
}

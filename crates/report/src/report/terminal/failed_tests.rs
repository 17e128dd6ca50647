//! The tests that did not pass, as a run ends: one line each with the reason and its place, equal reasons under one heading.
//!
//! **Invariant:** at most [`MOST`] tests are kept, in the order of the plan; the others are counted, under their reason if it is known.

use anstyle::Style;
use indexmap::IndexMap;

use super::listing::{MOST, bounded, further};
use crate::report::layout::{Page, Palette, mark};
use ananke_base::text::{escape, grouped, truncate};
use ananke_trace::outcome::{Outcome, Status};
use ananke_trace::process::in_one_line;

/// The most characters of a reason.
const LONGEST_REASON: usize = 160;

/// The tests that failed, or those whose rules are not shown.
#[derive(Debug, Default)]
pub(super) struct FailedTests {
    /// By reason.
    tests: IndexMap<String, SameReason>,
    listed: usize,
    /// Tests that are not listed and whose reason is not either.
    further: usize,
}

/// The tests that failed for one reason.
#[derive(Debug)]
struct SameReason {
    listed: Vec<ListedFailure>,
    further: usize,
    /// Whether the reason has one place in all of them.
    is_one_place: bool,
}

#[derive(Debug)]
struct ListedFailure {
    status: Status,
    id: String,
    /// File and line of the rule, or of the test.
    place: String,
}

impl FailedTests {
    pub(super) fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    pub(super) fn add(&mut self, outcome: &Outcome) {
        let (status, (file, line)) = (outcome.status(), outcome.headline_place());
        let reason = outcome
            .headline()
            .map_or(status.as_str(), |(_, reason)| reason);
        let reason = truncate::chars(&in_one_line(reason), LONGEST_REASON).into_owned();
        let is_listed = self.listed < MOST;
        if !is_listed && !self.tests.contains_key(&reason) {
            self.further += 1;
            return;
        }
        let place = bounded(&format!("{file}:{line}"));
        let empty = || SameReason {
            listed: Vec::new(),
            further: 0,
            is_one_place: true,
        };
        let same = self.tests.entry(reason).or_insert_with(empty);
        same.is_one_place &= same.listed.first().is_none_or(|first| first.place == place);
        if is_listed {
            self.listed += 1;
            same.listed.push(ListedFailure {
                status,
                id: bounded(&outcome.test.id),
                place,
            });
        } else {
            same.further += 1;
        }
    }

    /// Writes them under this heading.
    pub(super) fn write(&self, heading: &str, palette: &Palette, page: &mut Page) {
        if self.is_empty() {
            return;
        }
        page.line(palette.strong, heading);
        for (
            reason,
            SameReason {
                listed,
                further: unlisted,
                is_one_place,
            },
        ) in &self.tests
        {
            let Some(first) = listed.first() else {
                continue;
            };
            let count = listed.len() + unlisted;
            page.sign(2, palette.of(first.status), mark(first.status));
            let what = if count == 1 {
                first.id.clone()
            } else {
                format!("{} tests", grouped(count))
            };
            page.plain(&escape::line(&what));
            page.space(2);
            let style = if first.status == Status::NotShown {
                palette.warning
            } else {
                palette.failed
            };
            page.put(style, &escape::line(reason));
            place(page, palette, is_one_place.then_some(first));
            if count == 1 {
                continue;
            }
            for test in listed {
                page.space(6);
                page.hang();
                page.put(Style::new(), &escape::line(&test.id));
                place(page, palette, Some(test).filter(|_| !is_one_place));
            }
            if *unlisted > 0 {
                page.space(6);
                page.line(palette.faint, &format!("… and {unlisted} more"));
            }
        }
        further(self.further, palette, page);
        page.end();
    }
}

/// The place of a test at the end of a line.
fn place(page: &mut Page, palette: &Palette, test: Option<&ListedFailure>) {
    if let Some(ListedFailure { place, .. }) = test {
        page.space(2);
        page.put(palette.faint, &escape::line(&format!("({place})")));
    }
    page.end();
}

//! The tests that failed, as a run ends: one line each with the reason and its place, equal reasons under one heading.
//!
//! **Invariant:** at most [`MOST`] tests are kept, in the order of the plan; the others are counted.

use anstyle::Style;
use indexmap::IndexMap;

use super::listing::{MOST, bounded, further};
use crate::outcome::{Outcome, Status};
use crate::report::layout::{Page, Palette, mark};
use crate::text::{escape, truncate};

/// The most characters of a reason.
const LONGEST_REASON: usize = 160;

/// The tests that failed.
#[derive(Debug, Default)]
pub(super) struct FailedTests {
    /// By reason.
    tests: IndexMap<String, Vec<ListedFailure>>,
    listed: usize,
    further: usize,
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
        if self.listed == MOST {
            self.further += 1;
            return;
        }
        self.listed += 1;
        let (status, (file, line)) = (outcome.status(), outcome.headline_place());
        let reason = outcome.headline().map_or(status.as_str(), |(_, reason)| reason);
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        let reason = truncate::chars(&reason, LONGEST_REASON).into_owned();
        let place = bounded(&format!("{file}:{line}"));
        self.tests.entry(reason).or_default().push(ListedFailure {
            status,
            id: bounded(&outcome.test.id),
            place,
        });
    }

    pub(super) fn write(&self, palette: &Palette, page: &mut Page) {
        if self.is_empty() {
            return;
        }
        page.line(palette.strong, "failed");
        for (reason, tests) in &self.tests {
            let [first, more @ ..] = tests.as_slice() else { continue };
            let is_one_place = tests.iter().all(|test| test.place == first.place);
            page.sign(2, palette.of(first.status), mark(first.status));
            let what = if more.is_empty() { first.id.clone() } else { format!("{} tests", tests.len()) };
            page.plain(&escape::line(&what));
            page.space(2);
            page.put(palette.failed, &escape::line(reason));
            place(page, palette, is_one_place.then_some(first));
            if more.is_empty() {
                continue;
            }
            for test in tests {
                page.space(6);
                page.hang();
                page.put(Style::new(), &escape::line(&test.id));
                place(page, palette, Some(test).filter(|_| !is_one_place));
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

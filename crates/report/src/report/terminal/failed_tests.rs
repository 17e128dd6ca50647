//! The tests that did not pass, as a run ends: one line each with its place, under the cause that they have in common; the cause of
//! the most tests first.
//!
//! **Invariant:** at most [`MOST`] tests are kept, in the order of the plan; the others are counted, under their reason if it is known.

use indexmap::IndexMap;

use super::listing::{MOST, bounded, further};
use crate::report::layout::{Page, Palette, mark};
use crate::report::words::record_again::RecordAgain;
use crate::report::words::{headline_in_one_line, title};
use ananke_base::text::{escape, grouped, truncate};
use ananke_trace::outcome::{Causes, FailureReason, Outcome, Status, StatusChange};

/// The most characters of a reason.
const LONGEST_REASON: usize = 160;

/// The most characters of the title of a row in front of a reason.
const LONGEST_TITLE: usize = 40;

/// The tests that failed, or those whose rules are not shown.
#[derive(Debug, Default)]
pub(super) struct FailedTests {
    /// By reason; `None` for those that nothing says one of.
    tests: IndexMap<Option<FailureReason>, SameReason>,
    listed: usize,
    /// Tests that are not listed and whose reason is not either.
    further: usize,
}

/// The tests that failed for one reason.
#[derive(Debug)]
struct SameReason {
    /// The finding of the first.
    sentence: String,
    listed: Vec<ListedFailure>,
    further: usize,
    record_again: RecordAgain,
}

impl SameReason {
    fn count(&self) -> usize {
        self.listed.len() + self.further
    }

    /// Writes a line for each test, and what is the remedy of all of them.
    fn write_tests(&self, palette: &Palette, page: &mut Page) {
        for other in &self.listed {
            page.space(4);
            test(page, palette, other);
            page.space(2);
            page.rest_of_line(palette.faint, &escape::line(&other.title));
        }
        if self.further > 0 {
            page.space(4);
            page.line(palette.faint, &format!("… and {} more", self.further));
        }
        if let Some(command) = self.record_again.command() {
            page.space(4);
            let command = escape::line(&command);
            page.line(palette.faint, &format!("record all again: {command}"));
        }
    }
}

#[derive(Debug)]
struct ListedFailure {
    status: Status,
    number: Option<usize>,
    /// File and line, as the command line takes them.
    place: String,
    title: String,
    /// Whether the place is that of other rows, too.
    is_row: bool,
    change: Option<StatusChange>,
}

impl FailedTests {
    pub(super) fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    pub(super) fn add(&mut self, outcome: &Outcome, number: Option<usize>) {
        let is_listed = self.listed < MOST;
        let key = outcome.reason();
        if !is_listed && !self.tests.contains_key(&key) {
            self.further += 1;
            return;
        }
        let status = outcome.status();
        let same = self.tests.entry(key).or_insert_with(|| SameReason {
            sentence: match headline_in_one_line(outcome) {
                Some(sentence) => sentence,
                None => status.as_str().to_owned(),
            },
            listed: Vec::new(),
            further: 0,
            record_again: RecordAgain::default(),
        });
        same.record_again.add(outcome);
        if is_listed {
            self.listed += 1;
            let (file, line) = outcome.place();
            same.listed.push(ListedFailure {
                status,
                number,
                place: bounded(&format!("{file}:{line}")),
                title: bounded(&title(outcome)),
                is_row: outcome.test.row.is_some(),
                change: outcome.change,
            });
        } else {
            same.further += 1;
        }
    }

    /// Writes them under this heading. The sentences are those of their `causes`.
    pub(super) fn write(&self, heading: &str, causes: &Causes, palette: &Palette, page: &mut Page) {
        if self.is_empty() {
            return;
        }
        page.line(palette.strong, heading);
        let mut groups: Vec<_> = self.tests.iter().collect();
        groups.sort_by_key(|(_, same)| std::cmp::Reverse(same.count()));
        for (reason, same) in groups {
            let SameReason {
                sentence, listed, ..
            } = same;
            let Some(first) = listed.first() else {
                continue;
            };
            let count = same.count();
            let cause = reason.as_ref().and_then(|reason| causes.get(reason));
            let sentence = match cause {
                Some(cause) if count > 1 => &cause.sentence,
                _ => sentence,
            };
            let sentence = truncate::chars(sentence, LONGEST_REASON);
            page.sign(2, palette.of(first.status), mark(first.status));
            let style = if first.status == Status::NotShown {
                palette.warning
            } else {
                palette.failed
            };
            if count == 1 {
                test(page, palette, first);
                if first.is_row {
                    page.space(2);
                    let title = truncate::chars(&first.title, LONGEST_TITLE);
                    page.put(palette.faint, &escape::line(&title));
                }
                page.space(2);
                page.rest_of_line(style, &escape::line(&sentence));
                continue;
            }
            page.plain(&format!("{} tests", grouped(count)));
            page.space(2);
            page.rest_of_line(style, &escape::line(&sentence));
            same.write_tests(palette, page);
        }
        further(self.further, palette, page);
        page.end();
    }
}

/// The number of a test, its place and its change.
fn test(page: &mut Page, palette: &Palette, test: &ListedFailure) {
    if let Some(number) = test.number {
        page.put(palette.strong, &number.to_string());
        page.space(2);
    }
    page.plain(&escape::line(&test.place));
    // That a failure is known is the rule, and the end of the report counts it.
    let change = test.change.filter(|change| *change != StatusChange::Known);
    if let Some(change) = change {
        page.space(2);
        page.put(palette.of_change(change), change.as_str());
    }
}

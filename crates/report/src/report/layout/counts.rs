//! The counts of tests by their status, in one line for people: `24 tests: 20 passed (1 flaky), 3 failed, 1 skipped`.

use super::{Page, Palette};
use ananke_base::text::grouped;
use ananke_trace::outcome::{Status, Totals};

/// Writes the counts at the current column of `page`; `selected` is the number of selected tests.
pub(crate) fn write(page: &mut Page, palette: &Palette, totals: &Totals, selected: usize) {
    let tests = totals.tests();
    let plural = |count: usize| if count == 1 { "test" } else { "tests" };
    if tests < selected {
        page.put(
            palette.warning,
            &format!(
                "{} of {} {}",
                grouped(tests),
                grouped(selected),
                plural(selected)
            ),
        );
    } else {
        page.put(
            palette.strong,
            &format!("{} {}", grouped(tests), plural(tests)),
        );
    }
    let counts = [
        (totals.passed, Status::Passed),
        (totals.failed, Status::Failed),
        (totals.error, Status::Error),
        (totals.timeout, Status::Timeout),
        (totals.undecided, Status::Undecided),
        (totals.not_shown, Status::NotShown),
        (totals.skipped, Status::Skipped),
    ];
    let mut before = ": ";
    for (count, status) in counts.into_iter().filter(|(count, _)| *count > 0) {
        page.plain(before);
        let plural = matches!(status, Status::Error | Status::Timeout) && count > 1;
        let plural = if plural { "s" } else { "" };
        page.put(
            palette.of(status),
            &format!("{} {}{plural}", grouped(count), status.words()),
        );
        if status == Status::Passed && totals.flaky > 0 {
            page.put(
                palette.warning,
                &format!(" ({} flaky)", grouped(totals.flaky)),
            );
        }
        before = ", ";
    }
    if totals.quarantined > 0 {
        page.plain(before);
        page.put(
            palette.warning,
            &format!("{} quarantined", grouped(totals.quarantined)),
        );
    }
}

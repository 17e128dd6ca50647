//! The length of the lists at the end of a run: a run in which everything fails must not grow with its tests.

use crate::report::layout::{Page, Palette};
use crate::run_document::SnapshotTotals;
use ananke_base::text::{escape, grouped, truncate};

/// The number of entries of each kind that are kept.
pub(super) const MOST: usize = 100;

/// Writes the number of entries beyond those that are listed; nothing if there are none.
pub(super) fn further(count: usize, palette: &Palette, page: &mut Page) {
    if count > 0 {
        page.line(palette.faint, &format!("  … and {} more", grouped(count)));
    }
}

/// An id, an owner or a place, as long as a line needs it.
pub(super) fn bounded(text: &str) -> String {
    truncate::bytes(text, 400).into_owned()
}

/// Writes the changes of snapshots; nothing if there are none.
pub(super) fn write_snapshots(totals: &SnapshotTotals, palette: &Palette, page: &mut Page) {
    let counts = totals.counts();
    if counts.is_empty() {
        return;
    }
    page.put(palette.strong, "snapshots");
    page.plain(&format!(": {counts}"));
    page.end();
    for file in &totals.listed {
        page.space(2);
        page.put(palette.warning, "obsolete");
        page.space(2);
        page.hang();
        page.plain(&escape::line(&truncate::bytes(file, 400)));
        page.end();
    }
    if totals.obsolete > totals.listed.len() {
        page.line(
            palette.faint,
            &format!("  … and {} more", totals.obsolete - totals.listed.len()),
        );
    }
    if totals.obsolete > 0 {
        page.line(
            palette.faint,
            "  no rule refers to these: `--update-snapshots` deletes them",
        );
    }
    page.end();
}

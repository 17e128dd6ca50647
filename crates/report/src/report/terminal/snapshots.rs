//! The changes of snapshots, at the end of a run.

use crate::report::layout::{Page, Palette};
use crate::run_document::SnapshotTotals;
use ananke_base::text::{escape, truncate};

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

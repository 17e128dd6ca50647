//! The counts of snapshots in a run.

use crate::report::layout::Page;
use crate::report::layout::Palette;
use ananke_base::text::{escape, truncate};
use ananke_trace::outcome::Outcome;

/// The number of obsolete snapshots that are listed.
const LISTED: usize = 20;

/// The numbers of snapshots that a run wrote, updated, deleted or found obsolete.
#[derive(Clone, Debug, Default)]
pub(crate) struct SnapshotTotals {
    pub(crate) written: usize,
    pub(crate) updated: usize,
    pub(crate) obsolete: usize,
    pub(crate) deleted: usize,
    /// The obsolete ones that are still there: the first of them.
    listed: Vec<String>,
}

impl SnapshotTotals {
    /// Takes what one test wrote.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        let new = outcome
            .verdict
            .snapshots
            .iter()
            .filter(|written| written.is_new)
            .count();
        self.written += new;
        self.updated += outcome.verdict.snapshots.len() - new;
    }

    /// Takes what no rule refers to.
    pub(crate) fn obsolete(&mut self, left: &[String], deleted: &[String]) {
        self.obsolete += left.len();
        self.deleted += deleted.len();
        let room = LISTED.saturating_sub(self.listed.len());
        self.listed.extend(left.iter().take(room).cloned());
    }

    /// Writes them for the end of a run; nothing if all are zero.
    pub(crate) fn write(&self, palette: &Palette, page: &mut Page) {
        let counts = self.counts();
        if counts.is_empty() {
            return;
        }
        page.put(palette.strong, "snapshots");
        page.plain(&format!(": {counts}"));
        page.end();
        for file in &self.listed {
            page.space(2);
            page.put(palette.warning, "obsolete");
            page.space(2);
            page.hang();
            page.plain(&escape::line(&truncate::bytes(file, 400)));
            page.end();
        }
        if self.obsolete > self.listed.len() {
            page.line(
                palette.faint,
                &format!("  … and {} more", self.obsolete - self.listed.len()),
            );
        }
        if self.obsolete > 0 {
            page.line(
                palette.faint,
                "  no rule refers to these: `--update-snapshots` deletes them",
            );
        }
        page.end();
    }

    /// Whether a snapshot was written, updated, deleted or found obsolete.
    pub(crate) fn has_any(&self) -> bool {
        self.written + self.updated + self.obsolete + self.deleted > 0
    }

    /// `2 written, 1 updated`; empty if all are zero.
    pub(crate) fn counts(&self) -> String {
        let Self {
            written,
            updated,
            obsolete,
            deleted,
            listed: _,
        } = self;
        let counts = [
            (written, "written"),
            (updated, "updated"),
            (obsolete, "obsolete"),
            (deleted, "deleted"),
        ];
        let counted = counts.iter().filter(|(count, _)| **count > 0);
        counted
            .map(|(count, word)| format!("{count} {word}"))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

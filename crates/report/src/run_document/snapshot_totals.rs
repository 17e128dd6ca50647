//! The counts of snapshots in a run.

use ananke_trace::outcome::Outcome;

/// The numbers of snapshots that a run wrote, updated, deleted or found obsolete.
#[derive(Clone, Debug, Default)]
pub(crate) struct SnapshotTotals {
    pub(crate) written: usize,
    pub(crate) updated: usize,
    pub(crate) obsolete: usize,
    pub(crate) deleted: usize,
    /// The obsolete ones that are still there: the first of them.
    pub(crate) listed: Vec<String>,
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

    /// Takes what no rule refers to: how many are left and deleted, and the first of those that are left.
    pub(crate) fn obsolete(&mut self, left: usize, deleted: usize, listed: &[String]) {
        self.obsolete += left;
        self.deleted += deleted;
        self.listed.extend_from_slice(listed);
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

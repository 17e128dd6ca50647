//! What a summary says, counted while the run goes.

use super::from_outcome;
use super::view::SummaryLine;
use crate::outcome::{Totals, Verdict};
use crate::report::snapshots::Snapshots;
use crate::run::RunEvent;

/// The numbers of a run so far.
#[derive(Debug, Default)]
pub(in crate::report) struct Tally {
    pub(super) selected: usize,
    pub(super) started_unix_ms: u64,
    pub(in crate::report) totals: Totals,
    pub(super) total_turns: usize,
    pub(super) snapshots: Snapshots,
    /// How the run came to its end, once it did.
    pub(super) end: Option<End>,
}

/// The end of a run.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) verdict: Verdict,
    pub(super) elapsed_us: u64,
    pub(super) interrupted: bool,
}

impl Tally {
    /// Counts what an event brings.
    pub(in crate::report) fn add(&mut self, event: &RunEvent) {
        match event {
            RunEvent::RunStarted { tests, unix_ms } => {
                self.selected = *tests;
                self.started_unix_ms = *unix_ms;
            }
            RunEvent::CaseStarted { .. }
            | RunEvent::TurnStarted { .. }
            | RunEvent::Retrying { .. }
            | RunEvent::CaseEnded { .. } => {}
            RunEvent::CaseFinished(outcome) => {
                self.totals.add(outcome);
                self.total_turns += outcome.turns.len();
                self.snapshots.add(outcome);
            }
            RunEvent::ObsoleteSnapshots { left, deleted } => self.snapshots.obsolete(left, deleted),
            RunEvent::RunFinished { verdict, elapsed_us, interrupted } => {
                let verdict = verdict.clone();
                self.end = Some(End { verdict, elapsed_us: *elapsed_us, interrupted: *interrupted });
            }
        }
    }

    /// The summary of what was counted.
    pub(in crate::report) fn summary(&self) -> SummaryLine {
        from_outcome::summary(self)
    }
}

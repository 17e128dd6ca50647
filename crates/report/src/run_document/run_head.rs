//! What a document says of its run as a whole, and with it the events of a run that is read.
//!
//! **Invariant:** whatever is read, a JSON report, shards or a kept run, reaches a report by these events.

use std::collections::BTreeSet;
use std::io;

use super::SummaryLine;
use super::summary_view::SnapshotCounts;
use ananke_trace::outcome::{Outcome, RunClose, RunEvent, RunFacts, Totals, TranscriptLine};

/// The number of different tools whose names are compared with those in rules.
const MOST_TOOLS: usize = 2000;

/// The facts of a run as a whole, as a document has them.
#[derive(Clone, Debug, Default)]
pub struct RunHead {
    /// The unused snapshots of the project: how many there still are, how many were deleted, and the first of those left.
    pub(crate) obsolete: (usize, usize, Vec<String>),
    /// What it was made with.
    pub facts: RunFacts,
    /// The number of tests that were selected.
    pub selected: usize,
    /// The number of results.
    pub total: usize,
    /// The moment of its start, in Unix milliseconds.
    pub started_unix_ms: u64,
    /// The end of the run, but for the counts of its verdict; `None` if it did not come to one.
    pub close: Option<RunClose>,
    /// The exit code; `None` if the run did not come to its end.
    pub exit_code: Option<i64>,
}

impl RunHead {
    pub(super) fn of(facts: Option<RunFacts>, summary: &SummaryLine<'_>) -> Self {
        let snapshots = summary.snapshots.as_ref();
        let mut facts = facts.unwrap_or_default();
        if let Some(helpers) = &summary.helpers
            && let Some(generator) = &helpers.generator
        {
            *facts.generated = generator.totals();
        }
        Self {
            obsolete: snapshots.map(SnapshotCounts::obsolete).unwrap_or_default(),
            facts,
            selected: summary.selected.max(summary.total),
            total: summary.total,
            started_unix_ms: summary.started,
            close: summary.close(),
            exit_code: summary.exit_code,
        }
    }

    /// Hands the events of the run to `take`: its beginning, each outcome that `outcomes` hands on, and its end.
    ///
    /// # Errors
    /// The errors of `take` and of `outcomes`.
    pub fn events(
        &self,
        outcomes: impl FnOnce(&mut dyn FnMut(Outcome) -> io::Result<()>) -> io::Result<()>,
        take: &mut dyn FnMut(RunEvent) -> io::Result<()>,
    ) -> io::Result<()> {
        take(RunEvent::RunStarted {
            tests: self.selected,
            unix_ms: self.started_unix_ms,
            facts: Box::new(self.facts.clone()),
        })?;
        let mut totals = Totals::default();
        let mut called = BTreeSet::new();
        outcomes(&mut |outcome| {
            totals.add(&outcome);
            for tool in tools(&outcome) {
                if called.len() < MOST_TOOLS && !called.contains(tool) {
                    called.insert(tool.to_owned());
                }
            }
            take(outcome.into())
        })?;
        let (left, deleted, listed) = self.obsolete.clone();
        if left + deleted > 0 {
            take(RunEvent::ObsoleteSnapshots {
                left,
                deleted,
                listed,
            })?;
        }
        let Some(mut close) = self.close.clone() else {
            return Ok(());
        };
        if let Some(shard) = &self.facts.shard {
            close.verdict.is_part = shard.leaves_out_tests(self.total);
        }
        close.verdict.totals = totals;
        // What one shard called, a rule of another may name.
        let found = &mut close.verdict.near_names.found;
        found.retain(|near| !called.contains(&near.name));
        take(RunEvent::RunFinished(close))
    }
}

/// The names of the tools that were called in a test.
fn tools(outcome: &Outcome) -> impl Iterator<Item = &str> {
    let lines = outcome.transcript.turns.iter().flat_map(|turn| &turn.lines);
    lines.filter_map(|line| match line {
        TranscriptLine::Calls(call) => Some(call.name.as_str()),
        _ => None,
    })
}

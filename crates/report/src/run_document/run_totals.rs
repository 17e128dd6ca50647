//! The counts of a run, and its end.

use std::collections::BTreeSet;
use std::path::Path;

use super::{PickTotals, SnapshotTotals};
use ananke_base::source::is_case_file;
use ananke_trace::outcome::{
    Causes, HelperTotals, Outcome, RunClose, RunEvent, RunFacts, TokenTotals, Totals,
};
use ananke_trace::trace::AgentTime;

/// The most reasons why costs are not known that are listed.
const MOST_GAPS: usize = 10;

/// The numbers of a run so far.
#[derive(Debug, Default)]
pub(crate) struct RunTotals {
    pub(crate) selected: usize,
    pub(crate) started_unix_ms: u64,
    pub(crate) totals: Totals,
    pub(crate) total_turns: usize,
    /// Whether a test is a case of a JSONL file.
    pub(crate) has_cases: bool,
    pub(crate) facts: RunFacts,
    /// The tokens of all turns of all attempts, as far as agents reported them.
    pub(crate) tokens: TokenTotals,
    /// The tokens of all helpers.
    pub(crate) helpers: HelperTotals,
    /// The reasons why costs of turns are not known, at most [`MOST_GAPS`].
    pub(crate) cost_gaps: BTreeSet<String>,
    /// The time of tests whose agents have a virtual clock, in microseconds: part of the durations in `totals`.
    pub(crate) virtual_us: u64,
    pub(crate) snapshots: SnapshotTotals,
    /// What the tests failed of that fail the run.
    pub(crate) causes: Causes,
    /// The tools that models picked.
    pub(crate) picks: PickTotals,
    /// The end of the run, once it came.
    pub(crate) end: Option<RunClose>,
}

impl RunTotals {
    /// Counts what an event brings.
    pub(crate) fn add(&mut self, event: &RunEvent) {
        match event {
            RunEvent::RunStarted {
                tests,
                unix_ms,
                facts,
            } => {
                self.facts.clone_from(facts);
                self.helpers.generator = *facts.generated;
                self.selected = *tests;
                self.started_unix_ms = *unix_ms;
            }
            RunEvent::CaseFinished(outcome) => {
                self.totals.add(outcome);
                self.snapshots.add(outcome);
                self.picks.add(outcome);
                if outcome.fails_the_run() {
                    self.causes.add(outcome);
                }
                let (turns, tokens) = outcome.spent();
                self.total_turns += turns;
                self.has_cases |= is_case_file(Path::new(&outcome.test.path));
                self.tokens = self.tokens + tokens;
                self.helpers = self.helpers + *outcome.helpers;
                self.add_cost_gaps(outcome);
                if outcome.transcript.time == AgentTime::Virtual {
                    let us = outcome.transcript.duration_us;
                    self.virtual_us = self.virtual_us.saturating_add(us);
                }
            }
            RunEvent::ObsoleteSnapshots {
                left,
                deleted,
                listed,
            } => self.snapshots.obsolete(*left, *deleted, listed),
            RunEvent::RunFinished(end) => self.end = Some(end.clone()),
            _ => {}
        }
    }

    /// Adds the reasons why costs of turns of a test are not known.
    fn add_cost_gaps(&mut self, outcome: &Outcome) {
        for turn in &outcome.transcript.turns {
            for gap in &turn.cost_gaps {
                if self.cost_gaps.len() < MOST_GAPS {
                    self.cost_gaps.insert(gap.clone());
                }
            }
        }
    }

    /// Whether the config has prices, as far as the tests show it: without them no cost is known, and nothing says why.
    pub(crate) fn has_prices(&self) -> bool {
        self.tokens.cost().is_some() || !self.cost_gaps.is_empty()
    }

    /// The exit code that the tests lead to, 130 if the run was interrupted; `None` if it was aborted.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        self.end.as_ref().map(|end| match end {
            RunClose {
                interrupted: true, ..
            } => 130,
            RunClose { verdict, .. } => verdict.exit_code(),
        })
    }

    /// The reason for the exit code, for people.
    pub(crate) fn reason(&self) -> String {
        let total = self.totals.tests();
        let reasons = match &self.end {
            None => return format!("the run ended after {total} of {} tests", self.selected),
            Some(RunClose {
                interrupted: true, ..
            }) => return "the run was interrupted".to_owned(),
            Some(end) => end.verdict.reasons(),
        };
        if !reasons.is_empty() {
            reasons.join("; ")
        } else if self.totals.quarantined > 0 {
            "no test failed outside of the quarantine".to_owned()
        } else {
            "no test failed".to_owned()
        }
    }
}

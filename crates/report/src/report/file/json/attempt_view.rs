//! An attempt at a test, as readers get it.

use schemars::JsonSchema;
use serde::Serialize;

use super::omitted::filled;
use super::rule_view::{Assertion, ProblemView, assertions};
use super::turn_view::TurnView;
use crate::report::part::part;
use crate::report::words::duration::milliseconds;
use ananke_trace::outcome::{Outcome, Status};

part! {
    /// An attempt other than the one that the result is about: one that was followed by a retry, or another run. Its fields mean what those of a result mean.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Attempt")]
    pub(super) struct AttemptView<'a> of (number: usize, outcome: &'a Outcome) {
        /// Its number among the attempts at one run, from 1.
        attempt: usize = number;
        /// Which of the runs of the test it is, if it is not the first.
        run?: u32 = Some(outcome.run).filter(|run| *run > 1);
        /// Its status.
        status: Status = outcome.status();
        /// The thread of its conversation; omitted if none was opened.
        thread_id?: &'a str = filled(&outcome.transcript.thread_id);
        /// When it started, in Unix milliseconds.
        started: u64 = outcome.transcript.started_unix_ms;
        /// When it ended, in Unix milliseconds.
        ended: u64 = outcome.transcript.ended_unix_ms;
        /// The agent's time in all turns together, in milliseconds with up to three decimals; omitted if a trace does not show it.
        duration_ms?: f64 = outcome.transcript.duration().map(milliseconds);
        /// The turns that were sent, with the last 16 KiB of their transcript.
        turns: Vec<TurnView<'a>> = outcome.transcript.turns.iter().map(TurnView::of).collect();
        /// The number of turns that were not sent.
        turns_not_run: u32 = outcome.transcript.turns_not_run;
        /// The failed rules of the whole test. Passed rules are listed only for the last attempt, also in turns.
        final_assertions: Vec<Assertion<'a>> = assertions(outcome.verdict.failures(), outcome.passed_rules());
        /// Why it could not be evaluated completely.
        error?: ProblemView<'a> = outcome.first_problem().map(|(_, problem)| ProblemView::of(problem));
        /// The file of its recording; omitted if there is none.
        recording?: &'a str = outcome.transcript.recording.as_deref();
    }
}

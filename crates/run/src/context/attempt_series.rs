//! The rule that decides the number of attempts at a test: its retries, its runs, or its walks.
//!
//! **Why:** Retries, repeated runs and walks each decide from the last outcome if there is a next attempt, and make one
//! outcome of all. A test has exactly one of them, so they need no common rule, only a common place in the loop.

use super::case::Case;
use ananke_base::context::CaseKey;
use ananke_trace::outcome::{Outcome, RunEvent};

/// Decides after each attempt whether there is another one, and what all of them come to.
pub(crate) trait AttemptSeries {
    /// Takes the outcome of the attempt `key`, and moves `key` on to the next one, which the event announces; `None` if
    /// there is none.
    fn next(&mut self, key: &mut CaseKey, outcome: Outcome) -> Option<RunEvent>;

    /// The outcome of the attempts; there was at least one.
    fn finish(self: Box<Self>, case: &Case) -> Outcome;
}

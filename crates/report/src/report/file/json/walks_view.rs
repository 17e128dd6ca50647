//! The walks of a test in the JSON report.

use schemars::JsonSchema;
use serde::Serialize;

use crate::report::part::part;

use ananke_trace::outcome::{ActionCount, FailedWalk, Walks};

part! {
    /// All walks of a test.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Walks")]
    pub(super) struct WalksView<'a> of (from: &'a Walks) {
        /// Where the random choices began.
        seed: u64 = from.seed;
        /// How many walks there were to be.
        walks: u32 = from.walks;
        /// How many passed.
        passed: u32 = from.passed;
        /// How often each action was taken, in the order of the test; without the attempts to shrink a walk.
        actions: &'a [ActionCount] = &from.actions;
        /// The walk that did not pass; omitted if there is none.
        failed?: &'a FailedWalk = from.failed.as_ref();
        /// How many turns were sent in all walks, with those of the attempts to shrink one.
        total_turns: usize = from.turns;
    }
}

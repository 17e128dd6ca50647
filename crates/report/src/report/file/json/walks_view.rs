//! The walks of a test in the JSON report.

use schemars::JsonSchema;
use serde::Serialize;

use ananke_trace::outcome::{ActionCount, FailedWalk, Walks};

/// All walks of a test.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Walks")]
pub(super) struct WalksView<'a> {
    /// Where the random choices began.
    pub(super) seed: u64,
    /// How many walks there were to be.
    pub(super) walks: u32,
    /// How many passed.
    pub(super) passed: u32,
    /// How often each action was taken, in the order of the test; without the attempts to shrink a walk.
    pub(super) actions: &'a [ActionCount],
    /// The walk that did not pass; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<&'a FailedWalk>,
    /// How many turns were sent in all walks, with those of the attempts to shrink one.
    pub(super) total_turns: usize,
}

impl<'a> From<&'a Walks> for WalksView<'a> {
    fn from(from: &'a Walks) -> Self {
        let Walks {
            seed,
            walks,
            passed,
            actions,
            failed,
            turns,
            tokens: _,
        } = from;
        Self {
            seed: *seed,
            walks: *walks,
            passed: *passed,
            actions,
            failed: failed.as_ref(),
            total_turns: *turns,
        }
    }
}

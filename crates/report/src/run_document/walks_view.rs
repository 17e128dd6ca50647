//! The walks of a test in the JSON report.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::part;
use super::tokens_view::TokensView;
use ananke_trace::outcome::{ActionCount, FailedWalk, Walks};

part! {
    /// All walks of a test.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Walks")]
    pub(crate) struct WalksView<'a> of (from: &'a Walks) {
        /// Where the random choices began.
        seed: u64 = from.seed;
        /// How many walks there were to be.
        walks: u32 = from.walks;
        /// How many passed.
        passed: u32 = from.passed;
        /// How often each action was taken, in the order of the test; without the attempts to shrink a walk.
        actions: Cow<'a, [ActionCount]> = Cow::Borrowed(&from.actions);
        /// The walk that did not pass; omitted if there is none.
        failed?: Cow<'a, FailedWalk> = from.failed.as_ref().map(Cow::Borrowed);
        /// How many turns were sent in all walks, with those of the attempts to shrink one.
        total_turns: usize = from.turns;
        /// The tokens of all these turns.
        #[schemars(extend("x-since" = "1.1"))]
        tokens: TokensView = TokensView::of(from.tokens);
    }
}

impl From<WalksView<'_>> for Walks {
    fn from(read: WalksView<'_>) -> Self {
        Self {
            seed: read.seed,
            walks: read.walks,
            passed: read.passed,
            actions: read.actions.into_owned(),
            failed: read.failed.map(Cow::into_owned),
            turns: read.total_turns,
            tokens: read.tokens.into(),
        }
    }
}

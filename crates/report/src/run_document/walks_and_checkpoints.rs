//! The walks of a test and the checkpoints of a simulated conversation, as readers get them.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{part, turn_view::TokensView};
use ananke_trace::outcome::{ActionCount, CheckpointOutcome, FailedWalk, Walks};

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

part! {
    /// A checkpoint of a simulated conversation.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Checkpoint")]
    pub(crate) struct CheckpointView<'a> of (checkpoint: &'a CheckpointOutcome) {
        /// The id of the checkpoint.
        id: Cow<'a, str> = Cow::Borrowed(&checkpoint.id);
        /// What it is about; omitted where the test does not say.
        description?: Cow<'a, str> = checkpoint.description.as_deref().map(Cow::Borrowed);
        /// Whether the test fails without it.
        required: bool = checkpoint.is_required;
        /// Whether a turn reached it.
        passed: bool = checkpoint.reached_at.is_some();
        /// The number of that turn, from 1; omitted if none reached it.
        reached_at_turn?: u32 = checkpoint.reached_at;
        /// Why the last turn did not reach it.
        message?: Cow<'a, str> = checkpoint.missed.as_deref().map(Cow::Borrowed);
    }
}

impl From<CheckpointView<'_>> for CheckpointOutcome {
    fn from(read: CheckpointView<'_>) -> Self {
        Self {
            id: read.id.into(),
            description: read.description.map(Into::into),
            is_required: read.required,
            reached_at: read.reached_at_turn,
            missed: read.message.map(Into::into),
        }
    }
}

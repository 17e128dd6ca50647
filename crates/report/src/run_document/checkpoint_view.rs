//! A checkpoint as readers get it.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::part;
use ananke_trace::outcome::CheckpointOutcome;

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

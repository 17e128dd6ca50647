//! The checkpoints of a conversation, and when each was reached.

use serde::{Deserialize, Serialize};

use ananke_derive::Mask;

/// A checkpoint, and the turn that reached it.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct CheckpointOutcome {
    /// Its id.
    pub id: String,
    /// The description of the checkpoint.
    pub description: Option<String>,
    /// Whether the test fails without it.
    pub is_required: bool,
    /// The number of the turn that reached it, counted from 1.
    pub reached_at: Option<u32>,
    /// The reason why the last turn did not reach it.
    pub missed: Option<String>,
}

impl CheckpointOutcome {
    /// Whether the test fails since it was not reached.
    pub fn is_missing(&self) -> bool {
        self.is_required && self.reached_at.is_none()
    }
}

//! What a session remembers of its conversation from turn to turn.

use std::sync::Arc;

use super::history::History;
use crate::context::Ids;
use crate::trace::State;

/// A thread with its messages and its state.
pub(super) struct Conversation {
    pub(super) thread_id: String,
    pub(super) history: History,
    pub(super) state: State,
    pub(super) ids: Arc<dyn Ids>,
}

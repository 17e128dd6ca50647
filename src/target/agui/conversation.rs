//! What a session remembers of its conversation from turn to turn.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::history::History;
use crate::context::Ids;
use crate::message::ToolDeclaration;
use crate::model::ProtocolVersion;
use crate::target::Opening;
use crate::trace::State;

/// A thread with its messages and its state.
pub(super) struct Conversation {
    pub(super) thread_id: String,
    pub(super) history: History,
    pub(super) state: State,
    /// Whether the agent told the state since it was forgotten.
    pub(super) state_is_told: bool,
    /// Whether the open interrupts came as custom events, the way agents told them before the protocol had them.
    pub(super) legacy_interrupts: bool,
    /// Whether the agent was sent anything but a question for its thread.
    pub(super) is_begun: bool,
    pub(super) client_tools: Arc<[ToolDeclaration]>,
    pub(super) ids: Arc<dyn Ids>,
}

/// What was known before the agent was asked to tell it again.
pub(super) struct Remembered {
    history: History,
    state: State,
}

impl Conversation {
    pub(super) fn new(opening: Opening, state: Value, version: ProtocolVersion) -> Self {
        let Opening { thread_id, history, client_tools, ids, .. } = opening;
        Self {
            thread_id,
            // Without anything before it, the first run has nothing but what is new.
            is_begun: history.is_empty(),
            history: History::of_earlier(history, version),
            state: State::new(state),
            state_is_told: false,
            legacy_interrupts: false,
            client_tools,
            ids,
        }
    }

    /// Forgets what was said, for the agent to tell it again.
    pub(super) fn forget(&mut self) -> Remembered {
        self.state_is_told = false;
        let state = std::mem::replace(&mut self.state, State::new(Value::Object(Map::new())));
        Remembered { history: std::mem::take(&mut self.history), state }
    }

    /// Takes back what the agent did not tell.
    pub(super) fn recall(&mut self, remembered: Remembered) {
        if self.history.is_empty() {
            self.history = remembered.history;
        }
        if !self.state_is_told {
            self.state = remembered.state;
        }
    }
}

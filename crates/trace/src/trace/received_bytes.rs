//! The bytes of a conversation that have a limit of their own, counted as they arrive.
//!
//! Flows in: reasoning, custom events, and calls to models. Flows out: the parts for which there is room.
//! **Invariant:** also what was not kept counts.

use serde_json::Value;

use super::CustomEvent;
use super::state::size;

/// The most bytes of reasoning that one test keeps.
pub(super) const MAX_REASONING_BYTES: usize = 8 << 20;

/// The most bytes of memory that the custom events of one test may take: JSON grows when it is parsed.
pub(super) const MAX_CUSTOM_BYTES: usize = 32 << 20;

/// The most bytes of memory that the calls to models of one test may take. Each request repeats the conversation, so that a long
/// one needs the square of its length.
pub(super) const MAX_MODEL_BYTES: usize = 64 << 20;

/// The bytes that have arrived.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReceivedBytes {
    reasoning: usize,
    custom: usize,
    model: usize,
}

impl ReceivedBytes {
    /// Counts reasoning; `false` if there is no room for it.
    pub(super) fn add_reasoning(&mut self, delta: &str) -> bool {
        self.reasoning = self.reasoning.saturating_add(delta.len());
        self.reasoning <= MAX_REASONING_BYTES
    }

    /// Counts a custom event; `false` if there is no room for it.
    pub(super) fn add_custom(&mut self, name: &str, value: &Value) -> bool {
        let bytes = size(value)
            .bytes
            .saturating_add(size_of::<CustomEvent>() + name.len());
        self.custom = self.custom.saturating_add(bytes);
        self.custom <= MAX_CUSTOM_BYTES
    }

    /// Counts a call to a model of so many bytes; `false` if there is no room for its contents.
    pub(super) fn add_model_call(&mut self, bytes: usize) -> bool {
        self.model = self.model.saturating_add(bytes);
        self.model <= MAX_MODEL_BYTES
    }
}

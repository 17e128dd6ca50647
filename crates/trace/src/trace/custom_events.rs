//! Custom events, and how much of them and of reasoning is kept: no rule is evaluated on either.

use serde_json::Value;

use super::state::size;

/// The most bytes of reasoning that one test keeps.
pub(super) const MAX_REASONING_BYTES: usize = 8 << 20;

/// The most bytes of memory that the custom events of one test may take: JSON grows when it is parsed.
pub(super) const MAX_CUSTOM_BYTES: usize = 32 << 20;

/// An event of the application's own.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomEvent {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// The number of the event.
    pub event: u32,
}

/// The number of bytes of both that have arrived.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReceivedBytes {
    reasoning: usize,
    custom: usize,
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
}

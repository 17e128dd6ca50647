//! What the trace finds by an id.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::text::ShortText;

/// The newest call and message of each id.
#[derive(Debug, Default)]
pub(super) struct KnownItems {
    /// Index of the newest call of each id.
    pub(super) calls: HashMap<ShortText, usize>,
    /// Index of the newest message of each id.
    pub(super) messages: HashMap<ShortText, usize>,
    /// Index of the newest reasoning of each id, which may also be the id of a message.
    pub(super) reasoning: HashMap<ShortText, usize>,
    /// Index of the newest complete message of the agent by the hash of its text.
    texts: HashMap<u64, usize>,
}

impl KnownItems {
    /// The newest complete message of the agent whose text may be `text`.
    pub(super) fn message_with(&self, text: &str) -> Option<usize> {
        self.texts.get(&hash(text)).copied()
    }

    /// Adds the text of a complete message.
    pub(super) fn add_text(&mut self, text: &str, index: usize) {
        self.texts.insert(hash(text), index);
    }

    /// Takes back what was known before a replay turn; it replaces what the replay said of the same ids.
    pub(super) fn restore(&mut self, before: Self) {
        let Self { calls, messages, reasoning, texts } = before;
        self.calls.extend(calls);
        self.messages.extend(messages);
        self.reasoning.extend(reasoning);
        self.texts.extend(texts);
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

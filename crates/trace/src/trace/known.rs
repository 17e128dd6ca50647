//! The items that the trace finds by an id.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::ToolCall;
use ananke_base::text::{ShortText, TextIndex};

/// The newest call and message of each id.
#[derive(Debug, Default)]
pub(super) struct KnownItems {
    /// Index of the newest call of each id.
    calls: TextIndex<u32>,
    /// Index of the newest message of each id.
    pub(super) messages: HashMap<ShortText, usize>,
    /// Index of the newest reasoning of each id, which may also be the id of a message.
    pub(super) reasoning: HashMap<ShortText, usize>,
    /// Indices of the complete messages of the agent by the hash of their text.
    texts: HashMap<u64, Vec<usize>>,
}

impl KnownItems {
    /// The newest of `calls` with an id.
    pub(super) fn call(&self, id: &str, calls: &[ToolCall]) -> Option<usize> {
        self.calls
            .get(id, |index| id_of(*index, calls))
            .map(|index| *index as usize)
    }

    /// Adds the last of `calls`.
    pub(super) fn add_call(&mut self, calls: &[ToolCall]) {
        let index = u32::try_from(calls.len().saturating_sub(1)).unwrap_or(u32::MAX);
        self.calls
            .insert(id_of(index, calls), index, |index| id_of(*index, calls));
    }

    /// The complete messages of the agent whose text may be `text`, in the order in which they ended.
    pub(super) fn messages_with(&self, text: &str) -> &[usize] {
        self.texts.get(&hash(text)).map_or(&[], Vec::as_slice)
    }

    /// Adds the text of a complete message.
    pub(super) fn add_text(&mut self, text: &str, index: usize) {
        self.texts.entry(hash(text)).or_default().push(index);
    }

    /// Takes back what was known before a replay turn; it replaces what the replay said of the same ids.
    pub(super) fn restore(&mut self, before: Self, calls: &[ToolCall]) {
        let Self {
            calls: earlier,
            messages,
            reasoning,
            texts,
        } = before;
        for index in earlier.iter() {
            self.calls
                .insert(id_of(*index, calls), *index, |index| id_of(*index, calls));
        }
        self.messages.extend(messages);
        self.reasoning.extend(reasoning);
        for (hash, indices) in texts {
            self.texts.entry(hash).or_default().extend(indices);
        }
    }
}

fn id_of(index: u32, calls: &[ToolCall]) -> &str {
    calls.get(index as usize).map_or("", |call| &call.wire_id)
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

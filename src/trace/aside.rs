//! What an agent tells beside what it says and does: its thoughts, and events of the application's own. Kept for
//! whoever wants to see them, and only so much of it.

use serde_json::Value;

use super::state::size;
use super::{Lane, Message, Role, Trace};
use crate::context::At;

/// How many bytes of thoughts one test keeps. Nothing is judged by them.
const MAX_REASONING_BYTES: usize = 8 << 20;

/// How many bytes custom events of one test may take in memory: JSON grows when it is read.
const MAX_CUSTOM_BYTES: usize = 32 << 20;

/// An event of the application's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Custom {
    /// Its name.
    pub name: String,
    /// What it carries.
    pub value: Value,
    /// The number of the event.
    pub event: u32,
}

/// How much is kept by now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kept {
    reasoning: usize,
    custom: usize,
}

impl Trace {
    pub(super) fn think(&mut self, at: At, id: &str, delta: &str, lane: Lane) {
        let turn = self.turns.len().saturating_sub(1);
        self.kept.reasoning = self.kept.reasoning.saturating_add(delta.len());
        if self.kept.reasoning > MAX_REASONING_BYTES {
            self.warn_once(format!("thoughts beyond {MAX_REASONING_BYTES} bytes are not kept"));
            return;
        }
        let known = self.known.thoughts.get(id).copied().filter(|index| self.messages[*index].turn == turn);
        let index = known.unwrap_or_else(|| {
            let mut message = Message::new(id.to_owned(), Role::Reasoning, lane, turn, self.last_event());
            message.origin = self.origin();
            self.known.thoughts.insert(id.to_owned(), self.messages.len());
            self.add_message(message);
            self.messages.len() - 1
        });
        let event = self.last_event();
        self.messages[index].add_text(at, event, delta);
    }

    pub(super) fn keep_custom(&mut self, name: String, value: Value) {
        let bytes = size(&value).bytes.saturating_add(size_of::<Custom>() + name.len());
        self.kept.custom = self.kept.custom.saturating_add(bytes);
        if self.kept.custom > MAX_CUSTOM_BYTES {
            self.warn_once(format!("custom events beyond {MAX_CUSTOM_BYTES} bytes are not kept"));
            return;
        }
        let event = self.last_event();
        self.custom.push(Custom { name, value, event });
        if let Some(turn) = self.turns.last_mut() {
            turn.custom.end = self.custom.len();
        }
    }

    /// A warning that one turn tells once, however often it has reason to.
    fn warn_once(&mut self, text: String) {
        if self.turns.last().is_some_and(|turn| !turn.warnings.contains(&text)) {
            self.warn(text);
        }
    }
}

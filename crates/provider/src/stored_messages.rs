//! The conversations that responses end, so that a later request may name one instead of repeating it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use ananke_base::context::lock;
use ananke_trace::trace::{ModelAnswer, ModelRequest, PromptMessage};

/// The number of responses that are stored; the oldest is forgotten first.
const MOST_RESPONSES: usize = 1000;

/// The messages up to each response, by its id.
#[derive(Debug, Default)]
pub(crate) struct StoredMessages(Mutex<VecDeque<(String, Arc<[PromptMessage]>)>>);

impl StoredMessages {
    /// Stores the conversation that the response with this id ends.
    pub(crate) fn store(&self, id: &str, request: &ModelRequest, answer: &ModelAnswer) {
        let mut messages = Vec::new();
        let mut is_begun = false;
        for message in &request.messages {
            // Instructions in front are those of the one request, and a later one has its own (API reference, `instructions`).
            is_begun |= !matches!(message, PromptMessage::System(_));
            if is_begun {
                messages.push(message.clone());
            }
        }
        messages.push(PromptMessage::Assistant {
            text: answer.text.clone(),
            calls: answer.calls.clone(),
        });
        let mut stored = self.stored();
        if stored.len() == MOST_RESPONSES {
            stored.pop_front();
        }
        stored.push_back((id.to_owned(), messages.into()));
    }

    /// The request with the conversation before it; `None` if no response with this id is stored. The id may have the prefix of
    /// its API.
    pub(crate) fn resolved(&self, request: &ModelRequest, id: &str) -> Option<ModelRequest> {
        let stored = self.stored();
        let mut newest_first = stored.iter().rev();
        let (_, earlier) = newest_first.find(|(known, _)| id.ends_with(known.as_str()))?;
        let mut resolved = request.clone();
        let own = std::mem::take(&mut resolved.messages);
        let mut own = own.into_iter().peekable();
        while let Some(instructions) =
            own.next_if(|message| matches!(message, PromptMessage::System(_)))
        {
            resolved.messages.push(instructions);
        }
        resolved.messages.extend(earlier.iter().cloned());
        resolved.messages.extend(own);
        Some(resolved)
    }

    fn stored(&self) -> MutexGuard<'_, VecDeque<(String, Arc<[PromptMessage]>)>> {
        lock(&self.0)
    }
}

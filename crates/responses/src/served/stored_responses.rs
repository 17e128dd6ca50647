//! The responses that a server stores, so that a later request may name one of them instead of repeating its conversation.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use ananke_agents::Action;

/// The number of responses that are stored; the oldest is forgotten first.
const MOST_RESPONSES: usize = 1000;

/// The actions of the client up to each response that is stored.
#[derive(Debug)]
pub(super) struct StoredResponses(Mutex<VecDeque<(String, Arc<[Action]>)>>);

/// The responses that this process has stored. They are no part of a mock, since a protocol reads a request without one.
pub(super) static STORED: StoredResponses = StoredResponses(Mutex::new(VecDeque::new()));

impl StoredResponses {
    /// Stores that the response with this id answers a conversation with these actions.
    pub(super) fn store(&self, id: &str, actions: Arc<[Action]>) {
        let mut stored = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stored.retain(|(known, _)| known != id);
        if stored.len() == MOST_RESPONSES {
            stored.pop_front();
        }
        stored.push_back((id.to_owned(), actions));
    }

    /// The actions of the conversation that the response with this id answers.
    pub(super) fn actions(&self, id: &str) -> Option<Arc<[Action]>> {
        let stored = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut newest_first = stored.iter().rev();
        let (_, actions) = newest_first.find(|(known, _)| known == id)?;
        Some(Arc::clone(actions))
    }
}

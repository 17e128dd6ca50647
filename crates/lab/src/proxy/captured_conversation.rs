//! The exchanges of one conversation.

use super::captured_exchange::CapturedExchange;
use ananke_agents::ServedRequest;

/// The exchanges of one conversation, in the order in which they were asked for.
#[derive(Default)]
pub struct CapturedConversation {
    /// The exchanges.
    pub exchanges: Vec<CapturedExchange>,
}

impl CapturedConversation {
    /// Whether a request goes on with this conversation.
    pub(super) fn continues_with(&self, request: &dyn ServedRequest) -> bool {
        let Some(last) = self.exchanges.last() else {
            return false;
        };
        match (last.request.thread(), request.thread()) {
            (Some(known), Some(thread)) => known == thread && !request.begins(),
            // The request has everything that the last one had, and more.
            (None, None) => {
                let (known, actions) = (last.request.actions(), request.actions());
                actions.len() > known.len() && actions.starts_with(known)
            }
            _ => false,
        }
    }
}

//! The Responses API as a server speaks it: a request has its whole conversation or names the response before, and the answer is
//! a list of items.
//!
//! **Invariant:** an answer says the same as a stream of events and as one document.

mod answer_items;
mod responses_answer;
mod responses_input;
mod stored_responses;
mod streamed;

use self::responses_input::ResponsesInput;
use self::stored_responses::StoredResponses;
use ananke_agents::{ServedProtocol, ServedRequest};

/// The Responses API as a server speaks it.
pub(super) static SERVED: ServedResponses = ServedResponses {
    stored: StoredResponses::new(),
};

/// The Responses API as a server speaks it, with the responses that it stores.
#[derive(Debug)]
pub(super) struct ServedResponses {
    stored: StoredResponses,
}

impl ServedProtocol for ServedResponses {
    fn name(&self) -> &'static str {
        "the Responses API"
    }

    fn read(&self, body: &[u8]) -> Result<Box<dyn ServedRequest>, String> {
        let request = ResponsesInput::read(body, &SERVED.stored)?;
        Ok(Box::new(request))
    }
}

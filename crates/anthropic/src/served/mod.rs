//! The Messages API as a server speaks it: a request has its whole conversation, and the answer is one message of blocks.
//!
//! A `messages_body` is read into a request to a model, and a `messages_answer` is made of a round of one, block by block
//! (`answer_blocks`); `messages_wire` has both. `streamed` is an answer that was recorded as a document.
//!
//! **Invariant:** an answer says the same as a stream of events and as one document.

mod answer_blocks;
mod messages_answer;
mod messages_body;
mod messages_wire;
mod streamed;

pub(super) use self::messages_wire::MessagesWire;
use ananke_agents::{ServedModelRequest, ServedProtocol, ServedRequest};

/// The Messages API as a server speaks it.
#[derive(Debug)]
pub(super) struct ServedMessages;

impl ServedProtocol for ServedMessages {
    fn name(&self) -> &'static str {
        "the Messages API"
    }

    fn path(&self) -> Option<&'static str> {
        Some("/messages")
    }

    fn read(&self, body: &[u8]) -> Result<Box<dyn ServedRequest>, String> {
        Ok(Box::new(ServedModelRequest::read(&MessagesWire, body)?))
    }
}

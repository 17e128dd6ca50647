//! The Messages API as a server speaks it: a request has its whole conversation, and the answer is one message of blocks.
//!
//! **Invariant:** an answer says the same as a stream of events and as one document.

mod answer_blocks;
mod messages_answer;
mod messages_input;
mod streamed;

use self::messages_input::MessagesInput;
use ananke_agents::{ServedProtocol, ServedRequest};

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
        Ok(Box::new(MessagesInput::read(body)?))
    }
}

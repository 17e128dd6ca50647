//! Chat completions as a server speaks them: a request has its whole conversation, and the answer is one message.
//!
//! A `chat_body` is read into a request to a model, and a `chat_answer` is made of a round of one; `chat_wire` has both. `streamed`
//! is an answer that was recorded as a document.
//!
//! **Invariant:** an answer says the same as a stream of chunks and as one document.

mod chat_answer;
mod chat_body;
mod chat_wire;
mod streamed;

pub(super) use self::chat_wire::ChatWire;
use ananke_agents::{ServedModelRequest, ServedProtocol, ServedRequest};

/// Chat completions as a server speaks them.
#[derive(Debug)]
pub(super) struct ServedChat;

impl ServedProtocol for ServedChat {
    fn name(&self) -> &'static str {
        "OpenAI chat completions"
    }

    fn read(&self, body: &[u8]) -> Result<Box<dyn ServedRequest>, String> {
        Ok(Box::new(ServedModelRequest::read(&ChatWire, body)?))
    }
}

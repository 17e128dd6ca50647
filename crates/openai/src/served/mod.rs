//! Chat completions as a server speaks them: a request has its whole conversation, and the answer is one message.
//!
//! **Invariant:** an answer says the same as a stream of chunks and as one document.

mod chat_answer;
mod chat_input;
mod streamed;

use self::chat_input::ChatInput;
use ananke_agents::{ServedProtocol, ServedRequest};

/// Chat completions as a server speaks them.
#[derive(Debug)]
pub(super) struct ServedChat;

impl ServedProtocol for ServedChat {
    fn name(&self) -> &'static str {
        "OpenAI chat completions"
    }

    fn read(&self, body: &[u8]) -> Result<Box<dyn ServedRequest>, String> {
        ChatInput::read(body).map(|request| Box::new(request) as Box<dyn ServedRequest>)
    }
}

//! The protocol as a server speaks it: requests of a chat come in, UI message streams go out.
//!
//! **Invariant:** what is encoded is decoded as the same changes.

mod chunk_encoder;
mod ui_chat_input;

use ui_chat_input::UiChatInput;

use ananke_agents::{ServedProtocol, ServedRequest};

/// The protocol as a server speaks it.
#[derive(Debug)]
pub(super) struct ServedAiSdk;

impl ServedProtocol for ServedAiSdk {
    fn name(&self) -> &'static str {
        "AI SDK"
    }

    fn read(&self, body: &[u8]) -> Result<Box<dyn ServedRequest>, String> {
        UiChatInput::read(body).map(|request| Box::new(request) as Box<dyn ServedRequest>)
    }
}

//! OpenAI-compatible chat completions: a model with its tools, without an application around it.
//!
//! A model keeps nothing, so every request has the whole conversation (`chat_message`). A response is a stream of chunks
//! (`chunk`), which the `reply_reader` puts together; `tool_calls` decides which call a fragment belongs to. The client tools
//! of the target are the model's tools: their mocks answer its calls, and the `session` sends the answers with the next
//! request. A `program_model` is another program, which is handed the requests in this process. `served` is the other side:
//! requests as a server receives them, and its answers.
//!
//! **Invariant:** it knows `agents` and no other protocol; every peculiarity of the protocol ends in its reader; what a chunk
//! has that is not understood is unread, never dropped.

mod chat_message;
mod chat_request;
mod chunk;
mod config;
#[cfg(test)]
#[path = "../../../tests/support/key_table.rs"]
mod key_table;
#[cfg(test)]
mod key_tables;
#[cfg(test)]
#[path = "../../../tests/support/model_answer.rs"]
mod model_answer;
mod probed;
mod program_model;
mod protocol;
mod reply_reader;
mod served;
mod session;
mod tool_calls;
mod unread;
#[cfg(test)]
mod wire_tests;

pub use config::OpenaiConfig;
pub use program_model::{ModelFunction, ProgramTransport, program_target};
pub use session::ChatCompletions;

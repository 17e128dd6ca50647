//! Anthropic's Messages API: a model with its tools, some of which the server executes itself.
//!
//! A request has the whole conversation (`request_messages`). A response is a stream of events (`message_event`): blocks, which come in
//! pieces. `content_blocks` decides which block a piece belongs to, `block_kind` which blocks are calls, and who executes those.
//! The `message_stream_reader` reads events, `block_reader` and `call_reader` the blocks, and `sent_blocks` writes them as the next
//! request has them. The client's tools are answered by their mocks; the `session` sends the answers, and asks again if the server
//! pauses. `served` is the other side: requests as a server receives them, and its answers.
//!
//! **Invariant:** it knows `agents` and no other protocol; every peculiarity of the protocol ends in its reader; what an event
//! has that is not understood is unread, never dropped.

mod block_changes;
mod block_kind;
mod block_reader;
mod call_reader;
mod config;
mod content_blocks;
mod ending;
#[cfg(test)]
#[path = "../../../tests/support/key_table.rs"]
mod key_table;
#[cfg(test)]
mod key_tables;
mod message_event;
mod message_stream_reader;
mod messages_request;
#[cfg(test)]
#[path = "../../../tests/support/model_answer.rs"]
mod model_answer;
mod open_messages;
mod probed;
mod protocol;
mod request_messages;
mod sent_blocks;
mod served;
mod session;
mod tool_use;
mod turn_time;
mod unread;
#[cfg(test)]
mod wire_tests;

pub use config::AnthropicConfig;
pub use session::MessagesApi;

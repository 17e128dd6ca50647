//! UI message streams of the AI SDK (protocol `v1` of its versions 5, 6 and 7): backends of `useChat`.
//!
//! Each exchange is one POST of the whole `chat`, answered by a stream of chunks (`ui_chunk`). The `stream_reader` reads them,
//! `call_reader` those about calls, which `chat_calls` knows by the ids of the server; `unread` says what is not understood, and
//! `ending` what the end of a stream means; `reported_changes` are their way to the sink. The client keeps the conversation: everything that came for one message of the user is
//! one `assistant_message`, whose parts (`ui_part`) the next request repeats. Calls that the client executes, and calls that
//! wait for an approval, are answered in their parts. `served` is the other side: requests as a server receives them, and its
//! answers.
//!
//! **Invariant:** it knows `agents` and no other protocol; every peculiarity of the protocol ends in its reader; a request has
//! what the official client would send after the same stream.

mod aisdk_target;
mod assistant_message;
mod call_reader;
mod chat;
mod chat_calls;
mod config;
mod ending;
#[cfg(test)]
#[path = "../../../tests/support/key_table.rs"]
mod key_table;
#[cfg(test)]
mod key_tables;
mod probed;
mod protocol;
mod reported_changes;
mod served;
mod session;
mod stream_reader;
mod ui_chat_request;
mod ui_chunk;
mod ui_part;
mod unread;

pub use aisdk_target::AiSdkTarget;
pub use config::{AiSdkConfig, AiSdkSettings};

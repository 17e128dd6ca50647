//! AG-UI: an agent whose runs are requested one by one, each answered by events.
//!
//! An `agui_conversation` makes the `request` of each run and takes the response: the `event_reader` takes its events, the
//! `decoder` makes changes of them. Its `assembler` puts messages and calls together from whatever form they are sent in; who
//! listens to it are the `history`, which the next request sends, and the trace. `call_ids` decides which call an id means.
//! `sequence` checks the order of the events. An agent need not keep anything, so every request contains the history and the
//! state.
//!
//! `served` is the other side: requests as a server receives them, and the events that it sends. Each transport has a folder
//! of its own: `http`, and `command` for programs.
//!
//! **Invariant:** it knows `agents` and no other protocol, and its transports do not know each other; every peculiarity of
//! the protocol ends in its decoder; a response that ends without a terminal event is an error that says what was received.

mod agui_conversation;
mod annotations;
mod assembler;
mod chunk_lanes;
mod command;
mod content;
mod conversation_config;
mod conversation_settings;
mod decoder;
mod event;
mod event_kind;
mod event_reader;
mod http;
mod incoming;
#[cfg(test)]
#[path = "../../../tests/support/key_table.rs"]
mod key_table;
#[cfg(test)]
mod key_tables;
mod listeners;
mod messages;
mod open_items;
mod request;
mod run_state;
mod runs;
mod sequence;
mod served;
mod shared_results;
mod signs;
mod snapshot;
mod thread_state;
mod usage;
mod warnings;

pub use command::{CommandConfig, CommandSettings, CommandTarget};
pub use conversation_settings::{ContextItem, ConversationSettings, ProtocolVersion};
pub use http::{AguiConfig, AguiSettings, AguiTarget, AguiTransport};

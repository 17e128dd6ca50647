//! AG-UI: an agent behind one HTTP endpoint; a run is a POST whose response is a stream of server-sent events.
//!
//! A `session` sends a `request` and reads the response: the `event_reader` takes the events of its stream, the `decoder` makes
//! changes of events. Its `assembler` puts messages and calls together from whatever form they are sent in; who listens to it are the
//! `history`, which the next request sends, and the trace. `call_ids` decides which call an id means. `sequence` checks the order of the events. An agent need not
//! keep anything, so every request contains the history and the state. A stream that ends without a terminal event is an
//! error that says what was received.

mod agui_target;
mod annotations;
mod assembler;
mod call_ids;
mod chunk_lanes;
mod compile;
mod config;
mod content;
mod decoder;
mod event;
mod event_kind;
mod event_reader;
mod failure_metadata;
mod history;
mod incoming;
mod item;
mod listed_calls;
mod listeners;
mod message;
mod message_list;
mod open_items;
mod protocol;
mod request;
mod run_end;
mod run_state;
mod runs;
mod sequence;
mod session;
mod settings;
mod snapshot;
mod surrogates;
mod thread_state;
mod transport;
mod usage;
mod warnings;

pub use agui_target::AguiTarget;
pub use config::{AguiConfig, AguiTransport, ProtocolVersion};
pub use settings::{AguiSettings, ContextItem};

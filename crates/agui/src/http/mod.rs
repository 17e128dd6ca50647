//! AG-UI over HTTP: each run is a POST, answered by a stream of server-sent events.
//!
//! **Invariant:** the end of a stream is never the end of a run; the input of a run is the same over every transport.

mod agui_target;
mod config;
mod probed;
mod protocol;
mod session;
mod stream_reader;
mod transport;

pub use agui_target::AguiTarget;
pub use config::{AguiConfig, AguiSettings, AguiTransport};

//! Servers that are reached over HTTP: by one endpoint (`http`), or by the older two (`sse`).
//!
//! **Invariant:** a response is stamped when it arrives, whichever of several streams brings it; one that is not a message is
//! an error that quotes it.

mod connection;
mod headers;
mod incoming_reply;
mod merge;
mod refusal;
mod settings;

pub(super) use connection::HttpConnection;
pub(super) use settings::{Endpoints, HttpSettings};

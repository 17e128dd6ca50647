//! Servers that are reached over HTTP: by one endpoint (`http`), or by the older two (`sse`).

mod connection;
mod headers;
mod incoming_reply;
mod merge;
mod refusal;
mod settings;

pub(super) use connection::HttpConnection;
pub(super) use settings::{Endpoints, HttpSettings};

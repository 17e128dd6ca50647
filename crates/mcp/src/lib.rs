//! Servers of the Model Context Protocol, whose tools a test lists and calls itself: programs on this machine (`stdio`), and servers
//! over HTTP (`http`).
//!
//! A `session` holds a `client`, whose `connection` carries messages of JSON-RPC. The `handshake` finds out the era of the server,
//! `incoming` reads what it says, `server_requests` answer what it asks, and a `turn` makes changes of its `result`s.

mod client;
mod compile;
mod config;
mod connection;
mod declared;
mod era;
mod handshake;
mod http;
mod incoming;
mod mcp_target;
mod other_transport;
mod outgoing;
mod probed;
mod protocol;
mod result;
mod server_requests;
mod session;
mod stdio;
mod talk;
mod turn;
mod turns;

pub use config::{McpConfig, McpProtocol};
pub use mcp_target::McpTarget;

//! Servers of the Model Context Protocol, whose tools a test lists and calls itself: programs on this machine (`stdio`), and
//! servers over HTTP (`http`).
//!
//! A `session` holds a `client`, whose `connection` carries messages of JSON-RPC: lines, or requests. The `handshake` finds
//! out the era of the server (a `shared_server` is asked once for all tests); if it fails over HTTP, `other_transport` tries once whether the other one works. `incoming`
//! reads what the server says (`unrecognised` sees the answers among what is none), `server_requests` answer what it asks, and a `turn` makes changes of its `result`s.
//!
//! **Invariant:** it knows `agents` and no other protocol; every peculiarity of the protocol ends in its reader; a line that
//! is not a message, or a response that no request waits for, is shown by the test.

mod client;
mod compile;
mod config;
mod connection;
mod declared;
mod era;
mod handshake;
mod http;
mod incoming;
#[cfg(test)]
mod incoming_tests;
#[cfg(test)]
#[path = "../../../tests/support/key_table.rs"]
mod key_table;
#[cfg(test)]
mod key_tables;
mod mcp_target;
mod notifications;
mod other_transport;
mod outgoing;
mod probed;
mod protocol;
mod result;
mod rpc_response;
mod server_requests;
mod session;
mod shared_server;
mod stdio;
mod talk;
mod turn;
mod turns;
mod unrecognised;

pub use config::{McpConfig, McpProtocol};
pub use mcp_target::McpTarget;

//! Servers of the Model Context Protocol: programs on this machine whose tools a test lists and calls itself.
//!
//! A message of JSON-RPC is a line. A `session` asks, `incoming` reads what the server says, and `result` translates results
//! into changes.

mod config;
mod declared;
mod incoming;
mod mcp_target;
mod outgoing;
mod protocol;
mod result;
mod session;

pub use config::McpConfig;
pub use mcp_target::McpTarget;

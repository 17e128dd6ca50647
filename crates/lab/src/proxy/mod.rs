//! A proxy between the clients of an agent and the agent: `ananke record --proxy` (feature `mock`).
//!
//! Flows in: requests of any kind. Flows out: the same requests to the agent, its responses as they come, and of those that a
//! protocol knows a [`CapturedConversation`] for each thread. `proxy_server` passes everything on; a `proxy_capture` and an
//! `exchange_spool` on the disk keep the exchanges, with the secrets that pass (`passing_secrets`). `hold_again` holds each
//! conversation as a test without turns, over its own responses in virtual time, so that it is recorded like any other.
//!
//! **Invariant:** the bytes of a body pass unchanged, whatever is kept of them; what is kept is bounded.

mod captured_exchange;
mod captured_turns;
mod endpoint;
mod exchange_spool;
mod hold_again;
mod passing_secrets;
mod proxy_capture;
mod proxy_server;

pub use captured_exchange::{CapturedConversation, CapturedExchange, Incomplete};
pub use endpoint::endpoint;
pub use exchange_spool::ExchangeSpool;
pub use hold_again::{HeldAgain, hold_again};
pub use proxy_capture::ProxyCapture;
pub use proxy_server::ProxyServer;

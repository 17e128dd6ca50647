//! A proxy between the clients of an agent and the agent: what passes is kept as conversations.
//!
//! Flows in: requests of any kind. Flows out: the same requests to the agent, its responses as they come, and of those that a
//! protocol knows a [`CapturedConversation`] for each thread, which is held again to be recorded. **Invariant:** the bytes of a body pass unchanged, whatever is
//! kept of them.

mod captured_conversation;
mod captured_exchange;
mod captured_tools;
mod captured_turns;
mod endpoint;
mod exchange_spool;
mod hold_again;
mod passing_secrets;
mod proxy_capture;
mod proxy_server;

pub use captured_conversation::CapturedConversation;
pub use captured_exchange::{CapturedExchange, Incomplete};
pub use endpoint::endpoint;
pub use exchange_spool::ExchangeSpool;
pub use hold_again::{HeldAgain, hold_again};
pub use proxy_capture::ProxyCapture;
pub use proxy_server::ProxyServer;

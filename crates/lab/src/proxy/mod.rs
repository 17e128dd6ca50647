//! A proxy between the clients of an agent and the agent: `ananke record --proxy` (feature `mock`).
//!
//! Flows in: requests of any kind. Flows out: the same requests to the agent, its responses as they come, and of those that a
//! protocol knows a [`CapturedConversation`] for each thread. `proxy_server` passes everything on; a `proxy_capture` and an
//! `exchange_spool` on the disk keep the exchanges, with the secrets that pass (`passing_secrets`). `hold_again` holds each
//! conversation as a test without turns, over its own responses in virtual time, so that it is recorded like any other.
//!
//! Requests are read by the protocols that know one by its body, or by the target, if it describes them: `passing_exchanges` sorts
//! these once everything has passed, and `recognized_answer` finds the response to each request of a test.
//!
//! **Invariant:** the bytes of a body pass unchanged, whatever is kept of them; what is kept is bounded.

mod captured_exchange;
mod captured_turns;
mod exchange_spool;
mod hold_again;
mod passing_exchanges;
mod passing_secrets;
mod proxied_agent;
mod proxy_capture;
mod proxy_server;
mod recognized_answer;

pub use captured_exchange::{
    CapturedConversation, CapturedExchange, CapturedRequest, DescribedRequest, Incomplete,
};
pub use exchange_spool::ExchangeSpool;
pub use hold_again::{HeldAgain, hold_again};
pub use passing_exchanges::OtherRequests;
pub use proxied_agent::{ProxiedAgent, proxied_agent};
pub use proxy_capture::ProxyCapture;
pub use proxy_server::ProxyServer;

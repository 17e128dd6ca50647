//! Servers that answer as an agent does: `ananke mock` (feature `mock`).
//!
//! Flows in: requests, each read by the protocol that knows it ([`ServedProtocol`](ananke_agents::ServedProtocol)), which
//! `mock_server` finds. Flows out: what a [`MockAgent`] answers, in the protocol's own events, at its times, with the faults
//! that are asked for (`fault`), and an entry of each request for a log. An `embedded_agent` has a session for each thread, a
//! `recorded_agent` answers with recorded bytes. Requests that no protocol reads get the bytes of a recording too (`recorded_bytes`).
//!
//! **Invariant:** times, faults and the log are the same for every agent and protocol; what is encoded is decoded as the same
//! changes.

mod embedded_agent;
mod fault;
mod mock_agent;
mod mock_server;
mod planned_target;
mod recorded_agent;
mod recorded_bytes;
mod request_log;
mod response_stream;
mod speed;

pub use embedded_agent::EmbeddedAgent;
pub use fault::{Fault, FaultKind};
pub use mock_agent::MockAgent;
pub use mock_server::{MockOptions, MockServer};
pub use recorded_agent::RecordedAgent;
pub use request_log::{EntryBody, RequestEnd, RequestEntry, RequestListener};
pub use speed::Speed;

//! The seam between the runner and the agents under test: each protocol is a crate, all with the same interface.
//!
//! A config's target is read by its protocol ([`TargetConfig`]), which is found in the registry, and compiled into a
//! [`Target`]. That opens a [`Session`] for each test; a session makes the exchanges of [`Request`]s and reports to a [`Sink`] what
//! happens: the bytes, and the neutral [`Change`](ananke_trace::trace::Change)s they mean. No protocol knows another.

mod candidate;
mod capabilities;
mod clock;
mod common;
mod config;
mod declared_tools;
mod ended;
mod error;
mod event_reader;
mod extended;
pub mod http;
#[cfg(feature = "mock")]
pub mod http_server;
mod limits;
mod lookup;
mod own_turns;
mod pace;
pub mod pipe;
mod protocol;
mod protocol_turn;
mod rate_limit_config;
mod recognition;
mod registry;
mod request;
mod rule_docs;
mod schema;
pub mod scripted;
mod served;
mod served_protocols;
mod session;
mod sink;
pub mod sse;
mod target;
mod tool_execution;

pub use candidate::{
    AgentPlace, CandidatePlace, ProbeQuestion, ProbedProtocol, TargetCandidate, is_base,
    target_keys,
};
pub use capabilities::{Capabilities, Capability};
pub use clock::EventClock;
pub use common::TargetCommon;
pub use config::TargetConfig;
pub use declared_tools::listed_tools;
pub use ended::Ended;
pub use error::{Received, TargetError};
pub use event_reader::{EventReader, Rest};
pub use extended::{MisplacedKeys, NamedTarget};
pub use http::{
    Body, Chunks, ClientEvent, HttpRequest, Method, Next, Reply, ResponseHead, Transport,
};
pub use limits::Limits;
pub use limits::in_words;
pub use lookup::NameLookup;
pub use own_turns::{describe_own_turn, fill_own_turn, protocol_of_turn, tool_turns};
pub use pace::{Concurrency, Pacer, Rate, TargetPace};
pub use protocol::{Protocol, ProtocolConfig};
pub use protocol_turn::{AgentTurns, ProtocolTurn, ProtocolTurnType, ToolTurns};
pub use recognition::recognized;
pub use registry::{Registration, candidates, install};
pub use request::{Action, Request};
pub use rule_docs::RuleDocs;
pub use schema::ChosenTarget;
pub use scripted::{AgentStep, AgentStepReader, written_agent, written_steps};
pub use served::counted;
pub use served::{
    ServedEnd, ServedFrame, ServedProtocol, ServedRequest, ServedResponse, TimedChange,
};
pub use served_protocols::served_protocols;
pub use session::{Session, SessionOptions, UndeclaredCalls};
pub use sink::{Sink, Stop, Wire};
pub use target::Target;
pub use tool_execution::ToolExecution;

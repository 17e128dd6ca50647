//! The seam between the runner and the agents under test: each protocol is a crate, all with the same interface.
//!
//! A config's target is read by its protocol ([`TargetConfig`]), which is found in the registry, and compiled into a
//! [`Target`]. That opens a [`Session`] for each test; a session makes the exchanges of [`Request`]s and reports to a
//! [`Sink`] what happens: the bytes, and the neutral [`Change`](ananke_trace::trace::Change)s they mean.
//!
//! A protocol is the type of a target's keys ([`Protocol`]) with what its targets can do ([`Capabilities`]). The program
//! installs its protocols (`registry`). From that list are made the types of targets, their schema, what `extends` them, the
//! types of turns, which `crates/model` reads, and what the rules of a protocol mean (`rule_docs`). `common` has the keys
//! that targets of every protocol have, `pace` the limits among them. `declared_tools` asks a target for the tools that it
//! declares by itself. A `candidate` is a target that an agent could be of which only a URL or a program is known;
//! `recognition` adds to an error of a target the other protocol that an answer looks like. `served` is the other side of a
//! protocol.
//!
//! The folders `http` and `pipe` are the byte seams: requests, and programs spoken to in lines. In both, a protocol brings an
//! [`EventReader`]. `scripted` is the agent that is built in.
//!
//! **Invariant:** a response that is not what its protocol promises is an error, never silence; what a test needs and its
//! target cannot do is wrong when the test is loaded; no protocol knows another.

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

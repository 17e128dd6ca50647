//! The seam between the runner and the agents under test: each protocol is a crate, all with the same interface.
//!
//! A config's target is read by its protocol ([`TargetConfig`]), which is found in the registry, and compiled into a
//! [`Target`]. That opens a [`Session`] for each test; a session makes the exchanges of [`Request`]s and reports to a
//! [`Sink`] what happens: the bytes, and the neutral [`Change`](ananke_trace::trace::Change)s they mean.
//!
//! A protocol is the type of a target's keys ([`Protocol`]) with what its targets can do ([`Capabilities`]). The program
//! installs its protocols (`registry`). From that list are made the types of targets, their schema, what `extends` them, the
//! types of turns, which `crates/model` reads, and what the rules of a protocol mean ([`RuleDocs`]). `common` has the keys
//! that targets of every protocol have, `pace` the limits among them. `declared_tools` asks a target for the tools that it
//! declares by itself. A `candidate` is a target that an agent could be of which only a URL or a program is known, and
//! `first_look` finds by GETs which of them are worth a question;
//! `recognition` adds to an error of a target the other protocol that an answer looks like. A `proposal` is the target that a
//! protocol proposes for an API that speaks none. `served` is the other side of a protocol, and
//! `passing` has requests of other clients that a target recognizes.
//!
//! The folders `http` and `pipe` are the byte seams: requests, and programs spoken to in lines. In both, a protocol brings an
//! [`EventReader`]. `model_api` is what the protocols of bare models have in common. `scripted` is the agent that is built in,
//! and `external` one that another program runs, which asks ananke for a session.
//!
//! **Invariant:** a response that is not what its protocol promises is an error, never silence; what a test needs and its
//! target cannot do is wrong when the test is loaded; no protocol knows another.

mod candidate;
mod capabilities;
mod common;
mod config;
mod declared_tools;
mod error;
mod extended;
pub mod external;
mod first_look;
pub mod http;
#[cfg(feature = "mock")]
pub mod http_server;
mod limits;
mod lookup;
mod model_api;
mod pace;
mod passing;
pub mod pipe;
mod proposal;
mod protocol;
mod protocol_turn;
mod recognition;
mod registered_protocols;
mod registry;
mod schema;
pub mod scripted;
mod served;
mod session;
mod sink;
pub mod sse;
mod taken_words;
mod target;

pub use candidate::{
    AgentPlace, CandidatePlace, FirstRequest, ProbeQuestion, ProbedProtocol, TargetCandidate,
    is_base, target_keys,
};
pub use capabilities::{Capabilities, Capability};
pub use common::{EventClock, TargetCommon, ToolExecution};
pub use config::TargetConfig;
pub use declared_tools::{ObservedExchange, listed_tools};
pub use error::{Received, TargetError};
pub use extended::{MisplacedKeys, NamedTarget};
pub use first_look::{FirstLook, looked_at};
pub use http::{
    Body, Chunks, ClientEvent, HttpRequest, Method, Next, Reply, ResponseHead, Transport,
};
pub use limits::{Limits, in_words};
pub use lookup::{NameLookup, ServerHead};
pub use model_api::{
    AnsweredCalls, ApiPath, CallKeys, ModelApi, ModelApiError, ModelBody, ModelConnection,
    ModelKeys, ModelParams, ModelProbe, ModelReader, ModelReply, ModelSettings, ModelStream,
    ModelTarget, ModelUrl, ModelWire, OwnCallStep, OwnCalls, PromptContent, ReservedKeys, Round,
    RoundPart, ServedModelRequest, ServedModelWire, ToolLoop, call_arguments, executing_client,
    hosted_tool, items_of, noted_params, offered_tool, output_schema, read_model_answer,
    request_body, result_content, round_of_request,
};
pub use pace::{Concurrency, Pacer, Rate, TargetPace};
pub use passing::{
    OtherRequest, PassedExchange, PassedRequest, PassedTurn, PassingRequests, RecognizedRequest,
    RequestStep, SortedExchange, SortedExchanges,
};
pub use proposal::{
    NamedSecret, ProposalConsole, ProposalOptions, ProposalPlace, ProposedTurn, ProposingProtocol,
    TargetProposal,
};
pub use protocol::{Protocol, ProtocolConfig};
pub use protocol_turn::{AgentTurns, ProtocolTurn, ProtocolTurnType, ToolTurns};
pub use recognition::{is_answer_of, recognized};
pub use registered_protocols::{
    RuleDocs, describe_own_turn, fill_own_turn, model_wires, proposing, served_protocols,
    served_protocols_at, tool_turns, turns_of, types_with, types_with_tool_turns, types_with_turn,
};
pub use registry::{Registration, candidates, install};
pub use schema::ChosenTarget;
pub use scripted::{AgentStep, AgentStepReader, written_agent, written_steps};
pub use served::{
    ServedEnd, ServedFrame, ServedProtocol, ServedRequest, ServedResponse, TimedChange, counted,
    described_action, result_text, text_of_content,
};
pub use session::{Action, Request, Session, SessionOptions, UndeclaredCalls};
pub use sink::{Ended, EventReader, Rest, Sink, Stop, Wire};
pub use taken_words::TakenWords;
pub use target::Target;

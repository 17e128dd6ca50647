//! The agents under test: one folder a protocol, all behind the same seam.
//!
//! A [`Target`] opens a [`Session`] for each test; a session carries out [`Request`]s and tells a [`Sink`] what
//! happens: the bytes of the wire, and the neutral [`Change`]s they mean. No protocol knows another.

pub mod agui;
mod build;
mod error;
pub mod http;
pub mod scripted;
pub mod sse;
mod transport;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::context::{At, CaseKey, Clock, Ids};
use crate::message::{HistoryMessage, InterruptAnswer, ToolAnswer, ToolDeclaration, UserContent};
use crate::trace::Change;

pub use build::build;
pub use error::{Received, TargetError};
pub use transport::{Body, Chunks, Deed, Head, HttpRequest, Next, Reply, Transport};

/// What of an agent's doings its protocol shows, and which turns it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether tool calls are visible. A tool rule on an agent that shows none is an error, never a pass.
    pub tool_calls_visible: bool,
}

/// The bytes of the wire, for recorders and exchanges.
#[derive(Clone, Copy, Debug)]
pub enum Wire<'a> {
    /// The request is on its way.
    Sent {
        /// Its body.
        body: &'a [u8],
    },
    /// The answer's head came.
    Head {
        /// HTTP status, or 200 where the protocol has none.
        status: u16,
        /// The content type as sent; empty where there is none.
        content_type: &'a str,
    },
    /// One raw frame; the changes that follow come from it.
    Frame(&'a [u8]),
    /// The answer is over.
    Closed,
}

/// Says that nothing more of an exchange is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

/// Where a session tells what happens, in the order it happened.
pub trait Sink: Send {
    /// Bytes of the wire, stamped when they arrived.
    fn wire(&mut self, at: At, wire: Wire<'_>);
    /// What the last frame meant. `Break` ends the exchange as [`Ended::Cancelled`].
    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop>;
}

/// What a session is opened with: everything that is filled only when its test starts.
#[derive(Clone)]
pub struct Opening {
    /// Which test, run and attempt this is.
    pub key: CaseKey,
    /// The conversation's thread.
    pub thread_id: String,
    /// What was said before, which the agent is told with the first run; each message has an id.
    pub history: Vec<HistoryMessage>,
    /// The tools that the client carries out.
    pub client_tools: Arc<[ToolDeclaration]>,
    /// Arrival times.
    pub clock: Arc<dyn Clock>,
    /// Ids of runs and messages.
    pub ids: Arc<dyn Ids>,
}

/// How far an exchange may go.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long until [`Ended::Timeout`].
    pub timeout: Duration,
    /// Largest single event, in bytes.
    pub max_event_bytes: usize,
    /// Largest answer, in bytes.
    pub max_response_bytes: usize,
    /// Ends the exchange as [`Ended::Cancelled`].
    pub cancel: CancellationToken,
}

impl Limits {
    /// Largest single event without a setting: 16 MiB (SPEC 4).
    pub const MAX_EVENT_BYTES: usize = 16 << 20;
    /// Largest answer without a setting: 64 MiB (SPEC 4).
    pub const MAX_RESPONSE_BYTES: usize = 64 << 20;
}

/// What a turn asks of the agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The user says something.
    User {
        /// The id the message has in the history.
        message_id: String,
        /// The name of the user, where there is one.
        name: Option<String>,
        /// What the user says.
        content: UserContent,
    },
    /// Tell the thread again.
    Connect,
    /// Go on: these interrupts are answered.
    Resume(Vec<InterruptAnswer>),
    /// Go on: these calls, which the agent does not carry out itself, are answered.
    ToolResults(Vec<ToolAnswer>),
}

/// One exchange to carry out.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What is asked.
    pub action: Action,
    /// Passed on to the agent over what is passed on with every run, key by key.
    pub forwarded_props: Map<String, Value>,
}

impl From<Action> for Request {
    /// Passes nothing further on.
    fn from(action: Action) -> Self {
        Self { action, forwarded_props: Map::new() }
    }
}

/// How an exchange ended, apart from what the agent itself said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With the protocol's terminal event.
    Terminal,
    /// The time was up.
    Timeout,
    /// Somebody asked for it to stop.
    Cancelled,
}

/// An agent under test.
pub trait Target: Send + Sync {
    /// What the protocol shows.
    fn capabilities(&self) -> Capabilities;
    /// Starts a conversation.
    ///
    /// # Errors
    /// Where the agent cannot be reached or refuses.
    fn open(&self, opening: Opening) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>>;
}

/// One conversation with an agent; owns its thread, history and state.
pub trait Session: Send {
    /// Carries out one request.
    ///
    /// # Errors
    /// Where the agent's answer is not what its protocol promises: the end of a stream is never the end of a run.
    fn exchange<'a>(
        &'a mut self,
        request: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>>;

    /// The clock that stamps what this session tells: the run's own, or a virtual one.
    fn clock(&self) -> &dyn Clock;
}

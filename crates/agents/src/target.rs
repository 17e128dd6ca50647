//! An agent under test.
//!
//! **Why:** A target is the config after its variables have values, and a session is one conversation with it. They are
//! two types, since many sessions share one target at the same time, and since a target answers some questions (its
//! address, its tools) without any conversation. Most methods have an answer by default, so that a protocol writes only
//! what is special about it.

use std::fmt::Debug;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::session::{Session, SessionOptions};
use super::{error::TargetError, limits::Limits, passing::PassingRequests, pipe::PipeProgram};
use ananke_base::message::{DeclaredTool, RequestContext};
use ananke_trace::trace::{AgentTime, Peer};

/// An agent under test, with every variable of its config filled in.
pub trait Target: Debug + Send + Sync {
    /// The agent's name in reports.
    fn agent(&self) -> &str;

    /// The endpoint of the agent, if tests share one.
    fn endpoint(&self) -> Option<&str> {
        None
    }

    /// The state that a conversation starts with.
    fn state(&self) -> &Value;

    /// The peer, in the words of reports.
    fn peer(&self) -> Peer {
        Peer::Agent
    }

    /// The kind of time that its sessions measure.
    fn time(&self) -> AgentTime {
        AgentTime::Wall
    }

    /// Whether times are taken from the agent's events, and not from their arrival.
    fn has_event_clock(&self) -> bool {
        false
    }

    /// The longest time that a session may wait in one turn by itself, which is no time of the agent.
    fn longest_wait(&self) -> Duration {
        Duration::ZERO
    }

    /// The address of the agent, and which one it is there: two targets with one address are the same agent, whatever they
    /// are called. A model is asked as `connector`, if one is named. `None` if nothing but the definition says it.
    fn address(&self, _connector: Option<&str>) -> Option<String> {
        self.program().map(PipeProgram::address)
    }

    /// The program that it is, if ananke starts it.
    fn program(&self) -> Option<&PipeProgram> {
        None
    }

    /// The same bare model with `instructions`, unless it has its own, asked as the model `connector`, if one is named;
    /// `None` for an agent, which knows its role and gets everything with its request.
    fn prompted(&self, _instructions: &str, _connector: Option<&str>) -> Option<Box<dyn Target>> {
        None
    }

    /// The names of the options and of the caller's data in `context` that its requests have no place for.
    fn not_sent(&self, _context: &RequestContext) -> Vec<String> {
        Vec::new()
    }

    /// The tools that the agent declares by itself; `None` if its protocol has no declarations.
    ///
    /// # Errors
    /// If the agent cannot be reached, or does not declare them.
    fn declared_tools<'a>(
        &'a self,
        _options: SessionOptions,
        _limits: &'a Limits,
    ) -> BoxFuture<'a, Result<Option<Vec<DeclaredTool>>, TargetError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// The reader of requests of other clients to its agent; `None` if its protocol reads them, or nothing does.
    fn passing(&self) -> Option<&dyn PassingRequests> {
        None
    }

    /// Starts a conversation.
    ///
    /// # Errors
    /// If the agent cannot be reached or refuses.
    fn open(&self, options: SessionOptions)
    -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>>;
}

//! One conversation with an agent, and the actions that the agent is asked for.
//!
//! **Why:** A session is asked for one exchange after the other, because between two of them the client may execute tools, ask a
//! person or wait for a limit, which is no time of the agent. All that a session needs from outside is in its options, its clock
//! and its transport too: the same session is live, recorded, replayed or scripted, and does not know which.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::sink::{Ended, Sink};
use super::{error::TargetError, http::Transport, limits::Limits, pipe::PipeLauncher};
use ananke_base::context::{CaseKey, Clock, Ids};
use ananke_base::message::{
    HistoryMessage, InterruptAnswer, OwnTurn, RequestContext, ServerRequestKind, ToolAnswer,
    ToolDeclaration, UserContent,
};

/// One exchange with an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The step of the conversation that the agent is to take.
    pub action: Action,
    /// The context that goes to the agent with it.
    pub context: RequestContext,
    /// The number of events of its turn that came before it.
    pub events_before: u32,
}

/// The action that a turn requests of the agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The user says something.
    User {
        /// The id of the message in the history.
        message_id: String,
        /// The speaker, if a conversation has several of them.
        name: Option<String>,
        /// The content of the message.
        content: UserContent,
    },
    /// A request of the protocol's own.
    Own {
        /// The id of the message, of a message of the user.
        message_id: Option<String>,
        /// The request.
        turn: OwnTurn,
    },
    /// Replay the thread.
    Connect,
    /// Go on from the history, which ends with the result of a tool.
    Continue,
    /// Go on: these interrupts are answered.
    Resume(Vec<InterruptAnswer>),
    /// Go on: these calls of client-side tools are answered.
    ToolResults(Vec<ToolAnswer>),
}

impl From<Action> for Request {
    /// Passes nothing further on.
    fn from(action: Action) -> Self {
        Self {
            action,
            context: RequestContext::default(),
            events_before: 0,
        }
    }
}

impl From<OwnTurn> for Action {
    fn from(turn: OwnTurn) -> Self {
        Self::Own {
            message_id: None,
            turn,
        }
    }
}

/// The options with which a session is opened: everything that is known only when its test starts.
#[derive(Clone)]
pub struct SessionOptions {
    /// The key of this test, run and attempt.
    pub key: CaseKey,
    /// The conversation's thread.
    pub thread_id: String,
    /// The messages from before the first turn, which the first request brings along; each has an id.
    pub history: Vec<HistoryMessage>,
    /// The client-side tools.
    pub client_tools: Arc<[ToolDeclaration]>,
    /// Whether the tools of the agent must be known before its first turn, if it can declare them.
    pub declares_tools: bool,
    /// The treatment of calls to tools that were not declared, if a client executes the tools.
    pub undeclared: UndeclaredCalls,
    /// The requests that a server may make, since a turn of the test answers them.
    pub offered: Arc<[ServerRequestKind]>,
    /// Arrival times.
    pub clock: Arc<dyn Clock>,
    /// Ids of runs and messages.
    pub ids: Arc<dyn Ids>,
    /// Carries HTTP requests.
    pub transport: Arc<dyn Transport>,
    /// Starts programs.
    pub programs: Arc<dyn PipeLauncher>,
}

/// The treatment of calls to tools that were not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UndeclaredCalls {
    /// An error of the agent: nothing answers such a call (SPEC 5).
    #[default]
    Rejected,
    /// The client answers them, with an error that the agent is sent.
    Answered,
}

/// One conversation with an agent; owns its thread, history and state.
pub trait Session: Send {
    /// Makes one exchange.
    ///
    /// # Errors
    /// If the agent's response is not what its protocol promises: the end of a stream is never the end of a run.
    fn exchange<'a>(
        &'a mut self,
        request: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>>;

    /// The clock that stamps what this session reports: the run's own, or a virtual one.
    fn clock(&self) -> &dyn Clock;

    /// The last lines that the agent's program printed to stderr in this turn; empty if it printed none, or is no program.
    fn last_stderr(&mut self) -> BoxFuture<'_, String> {
        Box::pin(std::future::ready(String::new()))
    }

    /// Ends the conversation after its last exchange; a session that is dropped ends at once. Returns what is odd about how
    /// the agent ended it.
    fn close(&mut self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

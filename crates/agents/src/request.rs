//! The actions that an agent is asked for.

use ananke_base::message::{InterruptAnswer, OwnTurn, RequestContext, ToolAnswer, UserContent};

/// One exchange with an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The action that is requested.
    pub action: Action,
    /// The context that goes to the agent with it.
    pub context: RequestContext,
}

/// The action that a turn requests of the agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The user says something.
    User {
        /// The id of the message in the history.
        message_id: String,
        /// The name of the user, if there is one.
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

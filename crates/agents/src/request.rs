//! The actions that an agent is asked for.

use std::sync::Arc;

use serde_json::{Map, Value};

use ananke_base::message::{InterruptAnswer, RequestContext, ToolAnswer, UserContent};

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
    /// The user says something in parts of the protocol's own.
    Parts {
        /// The id of the message.
        message_id: String,
        /// The parts, as a test writes them: each has one of `text`, `data`, `url` and `raw`.
        parts: Arc<[Value]>,
    },
    /// Call this tool.
    CallTool {
        /// Its name.
        tool: String,
        /// Its arguments: an object, unless it is to be found out what comes of something else.
        args: Value,
    },
    /// List the tools.
    ListTools,
    /// Read the resource with this URI.
    ReadResource(String),
    /// Fill a prompt.
    GetPrompt {
        /// Its name.
        prompt: String,
        /// Its arguments.
        args: Map<String, Value>,
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

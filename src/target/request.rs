//! What an agent is asked to do.

use serde_json::{Map, Value};

use crate::message::{InterruptAnswer, ToolAnswer, UserContent};

/// One exchange with an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What is asked.
    pub action: Action,
    /// Passed on to the agent over what the target passes on with every run, key by key.
    pub props: Map<String, Value>,
}

/// What a turn asks of the agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The user says something.
    User {
        /// The id of the message in the history.
        message_id: String,
        /// The name of the user, if there is one.
        name: Option<String>,
        /// What the user says.
        content: UserContent,
    },
    /// Replay the thread.
    Connect,
    /// Go on: these interrupts are answered.
    Resume(Vec<InterruptAnswer>),
    /// Go on: these calls of client-side tools are answered.
    ToolResults(Vec<ToolAnswer>),
}

impl From<Action> for Request {
    /// Passes nothing further on.
    fn from(action: Action) -> Self {
        Self { action, props: Map::new() }
    }
}

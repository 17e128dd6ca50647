//! The script of an agent written in YAML, with every variable filled in.

use std::time::Duration;

use serde_json::{Map, Value};

use ananke_model::variables::Pattern;
use ananke_trace::outcome::CallFailure;
use ananke_trace::trace::{Interrupt, ModelUsage, Path};

/// A rule of an agent written in YAML.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledRule {
    /// The condition under which it answers.
    pub when: Condition,
    /// The steps of the answer.
    pub steps: Vec<CompiledStep>,
}

/// The condition under which a scripted rule answers; all of it must be true.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    /// The pattern that the user's message must match.
    pub user: Option<Pattern>,
    /// The turn, counted from 1.
    pub turn: Option<u64>,
    /// The pattern that the thread id must match.
    pub thread: Option<Pattern>,
    /// The values that the state must contain.
    pub state: Vec<(Path, Value)>,
}

/// One thing a scripted agent does.
#[derive(Clone, Debug, PartialEq)]
pub enum CompiledStep {
    /// Says this.
    Say(String),
    /// Says this, and declares that it waits for input.
    Ask(String),
    /// Calls a tool.
    Call(CompiledCall),
    /// Answers an open call.
    Answer {
        /// The name that the script gave to the call.
        id: String,
        /// The tool's answer.
        result: Value,
        /// The failure that it reports.
        failure: Option<CallFailure>,
    },
    /// Sets keys of the state.
    State(Map<String, Value>),
    /// Reports reasoning, which is no part of what the agent says.
    Think(String),
    /// Sends an event of the application's own.
    Custom {
        /// The name, by which a front end or a rule recognizes it.
        name: String,
        /// The value of the event.
        value: Value,
    },
    /// Reports the tokens of the run.
    Usage(ModelUsage),
    /// Lets time pass.
    Delay(Duration),
    /// Ends the run until an answer comes; the steps after it are what the agent does then.
    Interrupt {
        /// The interrupt, without an id where it gets one of its own.
        interrupt: Interrupt,
        /// The steps if the answer is that nothing is to be done.
        cancelled: Vec<CompiledStep>,
    },
    /// Ends the run with an error.
    Error {
        /// In the agent's words.
        message: String,
        /// A word for programs.
        code: Option<String>,
    },
}

/// A call to a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledCall {
    /// The name of the function that is called.
    pub tool: String,
    /// The call's id, where the script gives one.
    pub id: Option<String>,
    /// The arguments, where there are any.
    pub args: Option<Value>,
    /// The result; without one the call stays open.
    pub result: Option<Value>,
    /// The virtual time that passes before the result.
    pub delay: Duration,
    /// The failure that its result reports.
    pub failure: Option<CallFailure>,
    /// The subagent that makes the call.
    pub subagent: Option<String>,
}

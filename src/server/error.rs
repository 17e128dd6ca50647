//! What is said of a server that cannot be started, is never ready, or ends.

use std::fmt;

use super::ready::Answer;
use crate::diagnostic::{Code, Diagnostic};
use crate::process::{Ended, StartError, shown};
use crate::project::{Readiness, ServerCommand};
use crate::target::http;

/// Why the servers of a run do not run.
#[derive(Clone, Debug)]
pub enum Failed {
    /// The run was stopped first.
    Stopped,
    /// One of them did not do its work.
    Broken(Box<ServerError>),
}

/// What is wrong with a server.
#[derive(Clone, Debug)]
pub struct ServerError {
    /// What it is, at its place in the config.
    pub problem: Diagnostic,
    /// The last lines that the server printed; may be empty.
    pub printed: String,
}

impl From<ServerError> for Failed {
    fn from(error: ServerError) -> Self {
        Self::Broken(Box::new(error))
    }
}

/// A server that ended while it was needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    pub(super) name: String,
    pub(super) ended: Option<Ended>,
    /// The last lines that it printed; may be empty.
    pub printed: String,
}

/// ``server 1 `["python", "agent.py"]` ended with exit code 3``
impl fmt::Display for Death {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ", self.name)?;
        match self.ended {
            Some(ended) => ended.fmt(formatter),
            None => formatter.write_str("ended"),
        }
    }
}

/// What a server is called in messages.
pub(super) fn name(command: &ServerCommand) -> String {
    format!("server {} `{}`", command.number, shown(&command.argv))
}

pub(super) fn not_started(command: &ServerCommand, error: &StartError) -> ServerError {
    let problem = Diagnostic::error(Code::Server, format!("{} {}", name(command), error.message));
    let mut problem = command.at_command(problem);
    problem.help.extend((!error.help.is_empty()).then(|| error.help.clone()));
    ServerError { problem, printed: String::new() }
}

pub(super) fn taken(command: &ServerCommand, place: &str, answer: Answer) -> ServerError {
    let (message, help) = if command.reuse {
        let message = format!("what runs at {place} already is not ready: {answer}");
        (message, format!("end it, so that {} can be started in its place", name(command)))
    } else {
        let message = format!("something answers at {place} already, where {} is to run", name(command));
        (message, "end it, or have the tests use it with `reuse: true`".to_owned())
    };
    let problem = command.at_readiness(Diagnostic::error(Code::Server, message).help(help));
    ServerError { problem, printed: String::new() }
}

pub(super) fn died(command: &ServerCommand, death: Death) -> ServerError {
    let problem = Diagnostic::error(Code::Server, format!("{death} before it was ready"));
    ServerError { problem: command.at_command(problem), printed: death.printed }
}

/// `seen` is what was seen last of a place that was asked.
pub(super) fn not_ready(command: &ServerCommand, seen: &str, printed: String) -> ServerError {
    let waited = match &command.ready {
        Readiness::Url(url) => format!("{}: {seen}", http::shown(url)),
        Readiness::Port(port) => format!("port {port} of this machine: {seen}"),
        Readiness::Stdout(pattern) => format!("no line of its stdout matches `{}`", pattern.as_str()),
    };
    let message =
        format!("{} was not ready within its {} ms: {waited}", name(command), command.timeout.as_millis());
    let help = match &command.ready {
        Readiness::Stdout(_) => {
            "give it more time with its `timeout_ms`; what is printed to stderr, or kept in a buffer, does not count"
        }
        Readiness::Url(_) | Readiness::Port(_) => {
            "give it more time with its `timeout_ms`, or look whether it listens somewhere else"
        }
    };
    let problem = command.at_readiness(Diagnostic::error(Code::Server, message).help(help));
    ServerError { problem, printed }
}

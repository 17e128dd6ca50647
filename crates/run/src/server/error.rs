//! Errors of servers that cannot be started, are never ready, or end too early.

use super::server_address::ProbeAnswer;
use super::server_exit::{ServerExit, server_name};
use ananke_agents::http;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_plan::project::{Readiness, ServerCommand};
use ananke_trace::process::StartError;

/// The reason that the servers of a run could not be started.
#[derive(Clone, Debug)]
pub enum ServerStartError {
    /// The run was stopped first.
    Stopped,
    /// A server failed.
    Broken(Box<ServerError>),
}

/// The error of a server.
#[derive(Clone, Debug)]
pub struct ServerError {
    /// The error, at its place in the config.
    pub problem: Diagnostic,
    /// The last lines that the server printed; may be empty.
    pub printed: String,
}

impl From<ServerError> for ServerStartError {
    fn from(error: ServerError) -> Self {
        Self::Broken(Box::new(error))
    }
}

pub(super) fn not_started(command: &ServerCommand, error: &StartError) -> ServerError {
    let problem = Diagnostic::error(
        Code::Server,
        format!("{} {}", server_name(command), error.message),
    );
    let mut problem = command.at_command(problem);
    problem
        .help
        .extend((!error.help.is_empty()).then(|| error.help.clone()));
    ServerError {
        problem,
        printed: String::new(),
    }
}

pub(super) fn address_in_use(
    command: &ServerCommand,
    place: &str,
    answer: ProbeAnswer,
) -> ServerError {
    let (message, help) = if command.reuse {
        let message = format!("what runs at {place} already is not ready: {answer}");
        (
            message,
            format!(
                "stop it, so that {} can be started instead",
                server_name(command)
            ),
        )
    } else {
        let message = format!(
            "{place} is already in use, but {} is to run there",
            server_name(command)
        );
        (
            message,
            "stop it, or set `reuse: true` to use it".to_owned(),
        )
    };
    let problem = command.at_readiness(Diagnostic::error(Code::Server, message).help(help));
    ServerError {
        problem,
        printed: String::new(),
    }
}

pub(super) fn exited_early(command: &ServerCommand, exit: ServerExit) -> ServerError {
    let problem = Diagnostic::error(Code::Server, format!("{exit} before it was ready"));
    ServerError {
        problem: command.at_command(problem),
        printed: exit.printed,
    }
}

/// `seen`: the last answer or error of the place that was asked.
pub(super) fn not_ready(command: &ServerCommand, seen: &str, printed: String) -> ServerError {
    let waited = match &command.ready {
        Readiness::Url(url) => format!("{}: {seen}", http::shown(url)),
        Readiness::Port(port) => format!("port {port} of this machine: {seen}"),
        Readiness::Stdout(pattern) => {
            format!("no line of its stdout matches `{}`", pattern.as_str())
        }
    };
    let message = format!(
        "{} was not ready within its {} ms: {waited}",
        server_name(command),
        command.timeout.as_millis()
    );
    let help = match &command.ready {
        Readiness::Stdout(_) => {
            "increase its `timeout_ms`; what is printed to stderr, or kept in a buffer, does not count"
        }
        Readiness::Url(_) | Readiness::Port(_) => {
            "increase its `timeout_ms`, or check whether it listens on another address"
        }
    };
    let problem = command.at_readiness(Diagnostic::error(Code::Server, message).help(help));
    ServerError { problem, printed }
}

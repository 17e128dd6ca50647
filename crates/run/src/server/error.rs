//! Errors of servers that cannot be started, are never ready, or end too early.

use super::server_address::ProbeAnswer;
use super::server_exit::{ServerExit, server_name};
use ananke_agents::http;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_plan::project::{Readiness, ServerCommand};
use ananke_trace::process::StartError;
use url::Url;

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
        let stop = format!(
            "stop it, so that {} can be started instead",
            server_name(command)
        );
        let help = match (&command.ready, answer) {
            (Readiness::Url(url), ProbeAnswer::Status(_)) => {
                format!("{stop}; or {}", status_help(url))
            }
            _ => stop,
        };
        (message, help)
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

/// The remedy for a server that answers, but never with a status that means that it is ready.
fn status_help(url: &Url) -> String {
    let port = url
        .port_or_known_default()
        .map_or_else(|| "N".to_owned(), |port| port.to_string());
    format!(
        "a GET is sent, and a status below 500 means ready: name a path that answers so, or wait for the port alone with `ready: {{ port: {port} }}`; if the server is slow to start, increase its `timeout_ms`"
    )
}

/// `seen`: the last answer or error of the place that was asked.
pub(super) fn not_ready(
    command: &ServerCommand,
    seen: &Result<ProbeAnswer, String>,
    printed: String,
) -> ServerError {
    let words = match seen {
        Ok(answer) => answer.to_string(),
        Err(why) => why.clone(),
    };
    let waited = match &command.ready {
        Readiness::Url(url) => format!("{}: {words}", http::shown(url)),
        Readiness::Port(port) => format!("port {port} of this machine: {words}"),
        Readiness::Stdout(pattern) => {
            format!("no line of its stdout matches `{}`", pattern.as_str())
        }
    };
    let message = format!(
        "{} was not ready within its {} ms: {waited}",
        server_name(command),
        command.timeout.as_millis()
    );
    let help = match (&command.ready, seen) {
        (Readiness::Stdout(_), _) => {
            "increase its `timeout_ms`; what is printed to stderr, or kept in a buffer, does not count".to_owned()
        }
        (Readiness::Url(url), Ok(ProbeAnswer::Status(_))) => status_help(url),
        (Readiness::Url(_) | Readiness::Port(_), _) => {
            "increase its `timeout_ms`, or check whether it listens on another address".to_owned()
        }
    };
    let problem = command.at_readiness(Diagnostic::error(Code::Server, message).help(help));
    ServerError { problem, printed }
}

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
    let message = format!("{} {}", server_name(command), error.message);
    let mut problem = command.at_command(Diagnostic::error(Code::Server, message));
    if !error.help.is_empty() {
        problem.help.push(error.help.clone());
    }
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
    let name = server_name(command);
    let problem = if command.reuse {
        // Reuse was asked for, so the fault is in what runs there, or in the request that asks whether it is ready.
        let message = format!("what runs at {place} already is not ready: {answer}");
        let mut help = format!("stop it, so that {name} can be started instead");
        if let Readiness::Url(url) = &command.ready
            && let ProbeAnswer::Status(_) = answer
        {
            help = format!("{help}; or {}", status_help(url));
        }
        Diagnostic::error(Code::Server, message).help(help)
    } else {
        let message = format!("{place} is already in use, but {name} is to run there");
        Diagnostic::error(Code::Server, message).help("stop it, or set `reuse: true` to use it")
    };
    let problem = command.at_readiness(problem);
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
    let port = match url.port_or_known_default() {
        Some(port) => port.to_string(),
        None => "N".to_owned(),
    };
    format!(
        "a GET is sent, and a status below 500 means ready: name a path that answers so, or wait for the port alone with `ready: {{ port: {port} }}`; if the server is slow to start, increase its `timeout_ms`"
    )
}

/// The error of a server that is not ready in time; `seen` is the last answer or error of the place that was asked.
pub(super) fn not_ready(
    command: &ServerCommand,
    seen: &Result<ProbeAnswer, String>,
    printed: String,
) -> ServerError {
    // The last answer alone is shown: those before it are of a server that was still starting.
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
    let help = match &command.ready {
        Readiness::Stdout(_) => {
            "increase its `timeout_ms`; what is printed to stderr, or kept in a buffer, does not count".to_owned()
        }
        // A server that answers is there, so more time or another address is not what it lacks first.
        Readiness::Url(url) if matches!(seen, Ok(ProbeAnswer::Status(_))) => status_help(url),
        Readiness::Url(_) | Readiness::Port(_) => {
            "increase its `timeout_ms`, or check whether it listens on another address".to_owned()
        }
    };
    let problem = command.at_readiness(Diagnostic::error(Code::Server, message).help(help));
    ServerError { problem, printed }
}

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

/// The error of a server whose place is taken before it is started. `place` is its URL or port, and `answer` came from there.
/// With `reuse`, only an answer that does not mean ready is an error.
pub(super) fn address_in_use(
    command: &ServerCommand,
    place: &str,
    answer: ProbeAnswer,
) -> ServerError {
    let name = server_name(command);
    let problem = if command.reuse {
        // The config allows reuse. So either the program that runs there is at fault, or the URL that is asked whether it is
        // ready: the latter only if a status came.
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
        // The server was not started, so that it has printed nothing.
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

/// The error of a server that is not ready in time. `last_answer` is the last answer of its URL or port, or the reason that there
/// was none; a server that prints a line when it is ready is not asked. `printed` are the last lines that it printed.
pub(super) fn not_ready(
    command: &ServerCommand,
    last_answer: &Result<ProbeAnswer, String>,
    printed: String,
) -> ServerError {
    // Only the last answer is shown: the answers before it came while the server was still starting.
    let words = match last_answer {
        Ok(answer) => answer.to_string(),
        Err(why) => why.clone(),
    };
    let missing_sign = match &command.ready {
        Readiness::Url(url) => format!("{}: {words}", http::shown(url)),
        Readiness::Port(port) => format!("port {port} of this machine: {words}"),
        Readiness::Stdout(pattern) => {
            format!("no line of its stdout matches `{}`", pattern.as_str())
        }
    };
    let message = format!(
        "{} was not ready within its {} ms: {missing_sign}",
        server_name(command),
        command.timeout.as_millis()
    );
    let help = match &command.ready {
        Readiness::Stdout(_) => {
            "increase its `timeout_ms`; what is printed to stderr, or kept in a buffer, does not count".to_owned()
        }
        // A server that answers with an error status runs at this address. So its status is the first thing to look at, and not
        // the time or the address.
        Readiness::Url(url) if matches!(last_answer, Ok(ProbeAnswer::Status(_))) => status_help(url),
        Readiness::Url(_) | Readiness::Port(_) => {
            "increase its `timeout_ms`, or check whether it listens on another address".to_owned()
        }
    };
    let problem = command.at_readiness(Diagnostic::error(Code::Server, message).help(help));
    ServerError { problem, printed }
}

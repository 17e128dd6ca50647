//! The end of a server.

use std::fmt;

use ananke_plan::project::ServerCommand;
use ananke_trace::process::{ExitStatus, shown};

/// The end of a server that the tests still needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerExit {
    /// The server as messages name it.
    pub(super) name: String,
    /// `None` if it could not be found out.
    pub(super) status: Option<ExitStatus>,
    /// The last lines that it printed; may be empty.
    pub printed: String,
}

/// ``server 1 `["python", "agent.py"]` ended with exit code 3``
impl fmt::Display for ServerExit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ", self.name)?;
        match self.status {
            Some(status) => status.fmt(formatter),
            None => formatter.write_str("ended"),
        }
    }
}

/// Number and command: ``server 1 `["python", "agent.py"]` ``.
pub(super) fn server_name(command: &ServerCommand) -> String {
    format!("server {} `{}`", command.number, shown(&command.argv))
}

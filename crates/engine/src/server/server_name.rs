//! The name of a server in messages.

use crate::project::ServerCommand;
use ananke_trace::process::shown;

/// Number and command: ``server 1 `["python", "agent.py"]` ``.
pub(super) fn server_name(command: &ServerCommand) -> String {
    format!("server {} `{}`", command.number, shown(&command.argv))
}

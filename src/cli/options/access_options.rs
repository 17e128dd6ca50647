//! The options that permit something: whose requests a command answers that listens on a port, and calls of tools that may
//! change data.

use clap::Args;

use ananke::audit::PermittedTools;
use ananke::http_server::{Access, AnsweredPages};

/// The senders that a server of ours answers.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct AccessOptions {
    /// Also answer requests that are addressed to this name; by default only those to a name of this machine (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// Also answer the pages of this origin, such as `https://app.example.org`; by default only those of servers on this
    /// machine, and none if the address of the agent has credentials (repeatable)
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
}

impl AccessOptions {
    /// Access for these, and for `pages`.
    pub(crate) fn access(&self, pages: AnsweredPages) -> Access {
        Access {
            hosts: self.allow_host.clone(),
            origins: self.allow_origin.clone(),
            pages,
        }
    }
}

/// The tools that may be called although they may change data.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PermissionOptions {
    /// Call this tool although it may change data (repeatable). For an HTTP API of its own: what the user says in a second turn
    #[arg(long = "call", value_name = "NAME")]
    pub(crate) permitted: Vec<String>,
    /// Call all tools, also those that may change data
    #[arg(long)]
    pub(crate) destructive: bool,
}

impl PermissionOptions {
    /// The tools that may be called.
    pub(crate) fn permitted(&self) -> PermittedTools {
        if self.destructive {
            PermittedTools::All
        } else {
            PermittedTools::Named(self.permitted.clone())
        }
    }
}

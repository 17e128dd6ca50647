//! The options of commands that listen on a port: whose requests are answered.

use ananke::http_server::{Access, AnsweredPages};
use clap::Args;

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
    pub(super) fn access(&self, pages: AnsweredPages) -> Access {
        Access {
            hosts: self.allow_host.clone(),
            origins: self.allow_origin.clone(),
            pages,
        }
    }
}

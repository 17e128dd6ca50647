//! The command line: all commands, what shells complete of it, and the habits of users of other tools.
//!
//! **Invariant:** every command is named in `arguments` alone.

mod arguments;
mod candidates;
mod completions;
mod habits;

pub(crate) use candidates::complete;
pub(crate) use habits::parse;

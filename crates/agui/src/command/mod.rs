//! AG-UI over pipes: the agent is a program, a run is a line on its stdin, answered by events, one per line of its stdout.
//!
//! **Invariant:** the end of the output is never the end of a run; a program ends with its conversation.

mod command_target;
mod config;
mod protocol;
mod session;

pub use command_target::CommandTarget;
pub use config::{CommandConfig, CommandSettings};

//! Programs of the project: hooks that prepare a test, and scripts that answer requests. They are started without a
//! shell, bounded in time and output, and their output is read as JSON (SPEC 3, 7.5).
//!
//! [`run`] takes a filled [`HookCommand`](crate::compile::HookCommand) and returns variables, [`ask`] takes a
//! [`ScriptRequest`] and returns the answer; a [`ProgramError`] says what went wrong. When they return, no process of
//! the program's group is left.

mod answer;
mod error;
mod execute;
mod output;
mod pipes;
mod process;
mod script_request;
mod unread_output;

pub use answer::Expected;
pub use error::ProgramError;
pub use execute::{ask, run};
pub use script_request::ScriptRequest;

//! Programs of the project: hooks that prepare a test, and scripts that answer requests (SPEC 3, 7.5). Their argv,
//! environment and folder come filled from the plan, and their output is read as JSON.
//!
//! [`run`] takes a filled [`HookCommand`](ananke_plan::compile::HookCommand) and returns variables, [`ask`] takes a
//! [`ScriptRequest`] and returns the answer; a [`ProgramError`] says what went wrong.
//!
//! **Invariant:** time and output are bounded, even if a process does not exit; when a program is over, its process group is
//! empty.

mod answer;
mod error;
mod execute;
mod output;
mod pipes;
mod process;
mod unread_output;

pub use answer::{Expected, ScriptRequest};
pub use error::ProgramError;
pub use execute::{ask, run};

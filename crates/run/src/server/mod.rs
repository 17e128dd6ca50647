//! Programs that run while the tests run: started before them, waited for, watched, and ended with all that they started
//! (SPEC 4).
//!
//! [`Servers::start`] takes filled [`ServerCommand`](ananke_plan::project::ServerCommand)s and returns when all of them are ready,
//! or with a [`ServerStartError`] that says which is not, and why. Each has a task that reads what it prints and notices its
//! end; readiness is asked for, or read.
//!
//! **Invariant:** a server never waits for a reader; whatever ends a run, no process of a server is left when its [`Servers`]
//! are stopped or dropped.

mod error;
mod output;
mod ready;
mod running;
mod server_address;
mod server_exit;
mod servers;

pub use error::{ServerError, ServerStartError};
pub use server_exit::ServerExit;
pub use servers::{ServerWatch, Servers};

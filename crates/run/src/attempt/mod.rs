//! The parts of one attempt at a test that are not its conversation: its hooks, its teardown, what later turns need of earlier
//! ones (`capture_values`), snapshots, and what follows it (`observers`).
//!
//! **Invariant:** a teardown runs for each attempt whose hooks began, however it ends.

mod attempt;
pub(crate) mod capture_values;
mod hooks;
mod observers;
pub(crate) mod snapshots;
mod teardown;

pub(crate) use attempt::Attempt;
pub(crate) use capture_values::capture_values;
pub(crate) use hooks::run_hooks;
pub(crate) use teardown::{Teardown, run_teardown};

//! The work with tests and conversations in addition to running them: record, freeze, shrink, mutate, verify, serve, audit.
//!
//! **Invariant:** it uses the engine as the command does, and knows no report.

#[cfg(feature = "json-schema")]
pub mod audit;
#[cfg(feature = "json-schema")]
pub mod contract;
pub mod freeze;
mod lab_error;
#[cfg(feature = "mock")]
pub mod mock;
pub mod mutation;
pub mod promptfoo;
#[cfg(feature = "mock")]
pub mod proxy;
pub mod record;
pub mod shrink;
pub mod verify;

pub use lab_error::LabError;

//! The work with tests and conversations in addition to running them: record, freeze, shrink, mutate, serve, audit.
//!
//! **Invariant:** it runs tests as the command does, and knows no report.

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
mod test_writer;

pub use lab_error::LabError;

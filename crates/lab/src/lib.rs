//! The commands on tests and conversations in addition to running them: record, freeze, shrink, mutate, verify, serve, audit.
//!
//! It uses the engine as the command does, and no report.

#[cfg(feature = "json-schema")]
pub mod audit;
#[cfg(feature = "json-schema")]
pub mod contract;
pub mod freeze;
#[cfg(feature = "mock")]
pub mod mock;
pub mod mutation;
#[cfg(feature = "mock")]
pub mod proxy;
pub mod record;
pub mod shrink;
pub mod verify;

//! Reports and comparisons of runs.
//!
//! **Invariant:** it receives sealed results and events, and asks no agent.

pub mod compare;
pub mod report;
pub mod run_document;

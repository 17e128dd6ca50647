//! The way from a project to verdicts: config, plan, conversations, runs.
//!
//! **Invariant:** it knows agents through their seam alone, and no report.

pub mod coverage;
pub mod hook;
pub mod run;
pub mod server;

//! When a test runs.
//!
//! `suite` is the spine, from a plan to a verdict: several tests at once, reported in the order of the plan. Threads run one test
//! after the other (`worker`, `run_case`), and outcomes that come too early wait on disk (`spool`). `project_hooks` run before
//! and after all of them.
//!
//! **Invariant:** nothing of a test but its file is touched before it starts.

mod project_hooks;
mod run_case;
mod schedule;
mod spool;
mod suite;
mod worker;

pub use project_hooks::{ProjectHooks, SetupError, SetupStep};
pub use suite::{run, run_one};

//! Everything that is wrong with a test before it runs.
//!
//! `load` reads one file after the other on several threads, and `check` a test of it with the filler that a run uses.
//!
//! **Invariant:** all problems of a file are found at once.

mod check;
mod check_cases;
mod check_conditions;
pub(crate) mod check_config;
mod check_file;
mod check_walk;
mod checked_file;
mod lint_test;
pub(crate) mod load;

pub(crate) use check::ProjectContext;
pub(crate) use check_config::{CheckedConfig, check_config};
pub(crate) use load::{BrokenTests, LoadedTests};

//! Reports for CI servers that read what a program prints, and the jobs in which they run it.

pub mod github;

pub use super::build_job::BuildJob;

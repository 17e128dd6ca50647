//! Reports for CI servers that read what a program prints, and the jobs in which they run it.

mod build_job;
pub mod github;

pub use build_job::BuildJob;

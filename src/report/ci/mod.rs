//! Reports for build servers that read what a program prints, and the jobs that they run it in.

mod build_job;
pub mod github;

pub use build_job::BuildJob;

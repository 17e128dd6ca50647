//! The option that makes warnings errors.

use clap::Args;

/// What is good enough.
#[derive(Debug, Args)]
pub(crate) struct Strictness {
    /// Treat warnings as errors: nothing runs if there is one
    #[arg(long)]
    pub(crate) deny_warnings: bool,
}

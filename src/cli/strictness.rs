//! The option that makes warnings errors.

use clap::Args;

/// What is good enough.
#[derive(Clone, Debug, Args)]
pub(crate) struct Strictness {
    /// Treat warnings as errors: nothing runs if there is one
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub(crate) deny_warnings: Option<bool>,
}

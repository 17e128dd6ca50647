//! The options about tests that are retried.

use super::bounded::bounded;
use ananke::model::{FlakyVerdict, RunDefaults};
use clap::{Args, ValueEnum};

/// How often a failing test is retried, and what a retry is worth.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct RetryOptions {
    /// Retry failing tests up to N times, each with fresh hooks and a new thread (default: 0)
    #[arg(long, value_name = "N", value_parser = retries)]
    pub(crate) retries: Option<u32>,
    /// Allow retries on a fixed thread, although the agent may remember the previous attempt
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub(crate) retry_dirty: Option<bool>,
    /// How to count tests that pass only on a retry (default: pass)
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub(crate) flaky: Option<Flaky>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Flaky {
    /// Count as passed, marked as flaky
    Pass,
    /// Count as failed
    Fail,
}

impl From<Flaky> for FlakyVerdict {
    fn from(flaky: Flaky) -> Self {
        match flaky {
            Flaky::Pass => Self::Pass,
            Flaky::Fail => Self::Fail,
        }
    }
}

fn retries(text: &str) -> Result<u32, String> {
    bounded(text, &RunDefaults::RETRIES)
}

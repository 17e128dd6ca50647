//! The options about tests that are retried.

use clap::{Args, ValueEnum};

/// How often a failing test is retried, and what a retry is worth.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct RetryOptions {
    /// Retry failing tests up to N times, each with fresh hooks and a new thread
    #[arg(long, value_name = "N", default_value = "0", value_parser = retries)]
    pub(crate) retries: u32,
    /// Allow retries on a fixed thread, although the agent may remember the previous attempt
    #[arg(long)]
    pub(crate) retry_dirty: bool,
    /// How to count tests that pass only on a retry
    #[arg(long, value_enum, default_value_t = Flaky::Pass, value_name = "VERDICT")]
    pub(crate) flaky: Flaky,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Flaky {
    /// Count as passed, marked as flaky
    Pass,
    /// Count as failed
    Fail,
}

/// A test that needs more retries than this is not tested by its rules any more.
const MOST_RETRIES: u32 = 100;

fn retries(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 0..=MOST_RETRIES) => Ok(count),
        _ => Err(format!("expected a whole number from 0 to {MOST_RETRIES}")),
    }
}

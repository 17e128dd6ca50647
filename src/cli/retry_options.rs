//! The options about tests that are retried.

use clap::{Args, ValueEnum};

/// What becomes of a test that does not pass.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct RetryOptions {
    /// Try a test that does not pass up to N times again, each time with hooks and a new thread
    #[arg(long, value_name = "N", default_value = "0", value_parser = retries)]
    pub(crate) retries: u32,
    /// Try a test again also where its thread is fixed, so that the agent may remember the attempt before
    #[arg(long)]
    pub(crate) retry_dirty: bool,
    /// What a test is worth that passes only when it is tried again
    #[arg(long, value_enum, default_value_t = Flaky::Pass, value_name = "VERDICT")]
    pub(crate) flaky: Flaky,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Flaky {
    /// It has passed, and is marked
    Pass,
    /// It fails the run
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

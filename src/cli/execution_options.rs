//! The options that say how a run goes.

use std::time::Duration;

use clap::Args;

use super::time_value::time_value;

/// How a run goes.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ExecutionOptions {
    /// Run so many tests at once; reports are the same as of one after the other
    #[arg(long, value_name = "N", default_value = "1", value_parser = parallel)]
    pub(crate) parallel: usize,
    /// Stop the run at the first test that does not pass
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Cut a turn at the first rule that breaks, instead of judging it whole
    #[arg(long)]
    pub(crate) stop_early: bool,
    /// Fail a turn whose events come in an order that the protocol forbids, instead of warning of it
    #[arg(long)]
    pub(crate) strict_protocol: bool,
    /// How much of the agent's time each attempt at a test may take: `30s`, `5m`, `1m 30s`
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) timeout: Option<Duration>,
}

/// More tests at once than this are not faster and exhaust the machine's sockets.
const MOST_AT_ONCE: usize = 1024;

fn parallel(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=MOST_AT_ONCE) => Ok(count),
        _ => Err(format!("expected a whole number from 1 to {MOST_AT_ONCE}")),
    }
}

fn time(text: &str) -> Result<Duration, String> {
    match time_value(text)? {
        duration if duration.is_zero() => Err("a test cannot take no time at all".to_owned()),
        duration => Ok(duration),
    }
}

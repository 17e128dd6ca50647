//! The options that say how a run goes.

use std::time::Duration;

use clap::Args;

use super::time_value::time_value;

/// How a run goes.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ExecutionOptions {
    /// Number of tests to run in parallel; does not change report order
    #[arg(long, value_name = "N", default_value = "1", value_parser = parallel)]
    pub(crate) parallel: usize,
    /// Stop after the first failing test
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Abort a turn at the first violated rule instead of evaluating it completely
    #[arg(long)]
    pub(crate) stop_early: bool,
    /// Fail, rather than warn, if a turn's events violate the protocol's ordering rules
    #[arg(long)]
    pub(crate) strict_protocol: bool,
    /// Time limit per test attempt (agent time): `30s`, `5m`, `1m 30s`
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

//! The options that say how a run goes.

use std::time::Duration;

use super::bounded::bounded;
use ananke::model::RunDefaults;
use ananke::text::parse_duration;
use clap::Args;

/// How a run goes. An option that is not given has its value from the config's `run`, or the default.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ExecutionOptions {
    /// Number of tests to run in parallel; does not change report order (default: 1)
    #[arg(short = 'j', long, aliases = ["workers", "jobs"], value_name = "N", value_parser = parallel)]
    pub(crate) parallel: Option<usize>,
    /// Stop after the first failing test
    #[arg(short = 'x', long, aliases = ["bail", "exitfirst"], num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub(crate) fail_fast: Option<bool>,
    /// Go on although the agent answers none of the first tests
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Abort a turn at the first violated rule instead of evaluating it completely
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub(crate) stop_early: Option<bool>,
    /// Fail, rather than warn, if a turn's events violate the protocol's ordering rules
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub(crate) strict_protocol: Option<bool>,
    /// Time limit per test attempt (agent time): `30s`, `5m`, `1h30m`
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Do not ask judges: their rules are not evaluated, and a warning says so
    #[arg(long)]
    pub(crate) no_judge: bool,
}

pub(super) fn parallel(text: &str) -> Result<usize, String> {
    bounded(text, &RunDefaults::PARALLEL)
}

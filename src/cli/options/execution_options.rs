//! The options that say how a run goes: how many tests at once, how often a test runs, whether it is retried, and whether
//! warnings are errors. Their numbers have the bounds of keys.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::{Args, ValueEnum};

use ananke::model::{FlakyVerdict, RunDefaults, TestRuns};
use ananke::project::{GivenRuns, RunCounts};
use ananke::statistics::Percentage;
use ananke::text::parse_duration;

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

pub(crate) fn parallel(text: &str) -> Result<usize, String> {
    bounded(text, &RunDefaults::PARALLEL)
}

/// How often tests run, and what their runs must come to.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct RepeatOptions {
    /// Run every test N times, each time with fresh hooks and a new thread, and report how stable it is; a test passes
    /// if all its runs do
    #[arg(long, value_name = "N", value_parser = runs, conflicts_with = "retries")]
    pub(crate) runs: Option<u32>,
    /// Run every test until it is known whether its pass rate is good (95%) or bad (80%), with 5% error, in at most 60
    /// runs; the `runs` of a test or of the config set other numbers
    #[arg(long, conflicts_with_all = ["runs", "retries"])]
    pub(crate) runs_until_decided: bool,
    /// The share of the runs of a test that must pass (default: `100%`)
    #[arg(long, value_name = "PERCENT", value_parser = Percentage::parse)]
    pub(crate) min_pass_rate: Option<Percentage>,
    /// Run every test twice and report how many verdicts differ: the noise of the suite. A test that passes once does
    /// not fail
    #[arg(long)]
    pub(crate) a_a: bool,
}

impl RepeatOptions {
    /// The number of runs of tests, as far as the command line gives it.
    pub(crate) fn counts(self) -> RunCounts {
        let until_decided = self.runs_until_decided.then_some(GivenRuns::UntilDecided);
        let given = self.runs.map(GivenRuns::Times).or(until_decided);
        RunCounts {
            given,
            min_pass_rate: self.min_pass_rate,
            ..RunCounts::default()
        }
    }
}

fn runs(text: &str) -> Result<u32, String> {
    bounded(text, &TestRuns::COUNT)
}

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

/// What is good enough.
#[derive(Clone, Debug, Args)]
pub(crate) struct Strictness {
    /// Treat warnings as errors: nothing runs if there is one
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub(crate) deny_warnings: Option<bool>,
}

/// The number that `text` says.
///
/// # Errors
/// If it is none, or not `within` the bounds.
pub(crate) fn bounded<N: TryFrom<u64>>(
    text: &str,
    within: &RangeInclusive<u64>,
) -> Result<N, String> {
    let number = text.parse().ok().filter(|number| within.contains(number));
    let (least, most) = (within.start(), within.end());
    number
        .and_then(|number| N::try_from(number).ok())
        .ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}

//! The table of the settings of a run.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::choices::{FlakyVerdict, JunitDialect};
use super::run_count::RunCount;
use super::setting::NoKey;
use crate::model::{
    BrokenProhibitions, Flag, Number, Percent, ReportedEvents, Short, Since, TestRuns,
};
use ananke_base::diagnostic::Spanned;
use ananke_base::statistics::Percentage;
use ananke_base::text::Usd;
use ananke_derive::{Bounds, Settings};

/// How tests run: defaults for the options of `ananke run`. The command line takes precedence; `--fail-fast=false` switches off
/// what is `true` here.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Bounds, Settings)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = RunDefaults::bounds)]
#[settings(given = GivenSettings, effective = RunSettings)]
pub struct RunDefaults {
    /// Number of tests to run in parallel, 1 to 1024 (default 1). `--parallel`
    #[schemars(example = 8)]
    #[bounds(default = 1, within = 1..=1024)]
    #[setting(value = usize, group = Execution, short = 'j', aliases = ["workers", "jobs"], value_name = "N")]
    #[setting(
        help = "Number of tests to run in parallel; does not change report order (default: 1)"
    )]
    pub parallel: Option<Number>,
    /// Timeout of each attempt at a test in milliseconds, with everything that it does except teardown. `--timeout`
    #[schemars(example = 120_000)]
    #[setting(value = Duration, name = timeout, group = Attempt, value_name = "TIME")]
    #[setting(help = "Time limit per test attempt (agent time): `30s`, `5m`, `1h30m`")]
    pub timeout_ms: Option<Number>,
    /// How often a failing test is retried, each time with fresh hooks and a new thread: 0 to 100 (default 0). `--retries`
    #[schemars(example = 2)]
    #[bounds(default = 0, within = 0..=100)]
    #[setting(value = u32, group = Retries, value_name = "N")]
    #[setting(
        help = "Retry failing tests up to N times, each with fresh hooks and a new thread (default: 0)"
    )]
    pub retries: Option<Number>,
    /// How often each test runs: a number, or until it is known whether its pass rate is good or bad. A test's own `runs`
    /// takes precedence. Cannot be combined with `retries`. `--runs`, `--runs-until-decided`
    #[schemars(example = 10)]
    #[setting(value = RunCount)]
    pub runs: Option<Spanned<Short<TestRuns>>>,
    /// The number of runs of every test on the command line, above the `runs` of a test and of the config.
    #[serde(skip)]
    #[setting(value = u32, within = TestRuns::COUNT, group = Repeats, long = "runs", value_name = "N", conflicts = ["retries"])]
    #[setting(
        help = "Run every test N times, each time with fresh hooks and a new thread, and report how stable it is; a test passes if all its runs do"
    )]
    pub given_runs: NoKey,
    /// Whether the command line asks for runs until they decide, by what the `runs` of a test or of the config says, or by
    /// default.
    #[serde(skip)]
    #[setting(group = Repeats, conflicts = ["runs", "retries"])]
    #[setting(
        help = "Run every test until it is known whether its pass rate is good (95%) or bad (80%), with 5% error, in at most 60 runs; the `runs` of a test or of the config set other numbers"
    )]
    pub runs_until_decided: NoKey,
    /// The share of a fixed number of runs that must pass (default `100%`). `--min-pass-rate`
    #[schemars(example = &"80%")]
    #[setting(value = Percentage, default = Percentage::ALL, group = Repeats, value_name = "PERCENT")]
    #[setting(help = "The share of the runs of a test that must pass (default: `100%`)")]
    pub min_pass_rate: Option<Spanned<Percent>>,
    /// The weight of a run that breaks a prohibition: it fails its test (default), or counts as any run that fails. A test's
    /// own takes precedence.
    #[schemars(extend("x-since" = "1.4"), example = &"rate")]
    #[setting(value = BrokenProhibitions, default = BrokenProhibitions::Fail)]
    pub prohibitions: Option<BrokenProhibitions>,
    /// Whether every test runs twice, so that the suite is compared with itself.
    #[serde(skip)]
    #[setting(group = Repeats, long = "a-a")]
    #[setting(
        help = "Run every test twice and report how many verdicts differ: the noise of the suite. A test that passes once does not fail"
    )]
    pub self_comparison: NoKey,
    /// Whether a retry may use the thread of the attempt before it (default `false`). `--retry-dirty`
    #[schemars(example = true)]
    #[setting(group = Retries)]
    #[setting(
        help = "Allow retries on a fixed thread, although the agent may remember the previous attempt"
    )]
    pub retry_dirty: Option<Flag>,
    /// How to count tests that pass only on a retry (default `pass`). `--flaky`
    #[schemars(example = &"fail")]
    #[setting(value = FlakyVerdict, default = FlakyVerdict::Pass, group = Retries, value_name = "VERDICT")]
    #[setting(help = "How to count tests that pass only on a retry (default: pass)")]
    pub flaky: Option<FlakyVerdict>,
    /// Whether the run stops after the first failing test (default `false`). `--fail-fast`
    #[schemars(example = true)]
    #[setting(group = Execution, short = 'x', aliases = ["bail", "exitfirst"])]
    #[setting(help = "Stop after the first failing test")]
    pub fail_fast: Option<Flag>,
    /// Whether the run goes on although the agent answers none of the first tests.
    #[serde(skip)]
    #[setting(group = Execution)]
    #[setting(help = "Go on although the agent answers none of the first tests")]
    pub keep_going: NoKey,
    /// The most that the run may cost, in US dollars.
    #[serde(skip)]
    #[setting(value = Usd, group = Execution, value_name = "USD")]
    #[setting(
        help = "Start no further test once the agents and their helpers have cost more than this, by the `prices` of the config"
    )]
    pub max_cost: NoKey,
    /// Whether a turn is aborted at the first violated rule (default `false`: it is evaluated completely). `--stop-early`
    #[schemars(example = true)]
    #[setting(group = Execution)]
    #[setting(
        help = "Abort a turn at the first violated rule instead of evaluating it completely"
    )]
    pub stop_early: Option<Flag>,
    /// Whether events that violate the protocol's rules fail a test (default `false`: they are warnings).
    /// `--strict-protocol`
    #[schemars(example = &"${ENV.CI:-false}")]
    #[setting(group = Execution)]
    #[setting(
        help = "Fail, rather than warn, if a turn's events violate the protocol's ordering rules"
    )]
    pub strict_protocol: Option<Flag>,
    /// Whether judges are not asked: their rules are not evaluated.
    #[serde(skip)]
    #[setting(group = Attempt)]
    #[setting(help = "Do not ask judges: their rules are not evaluated, and a warning says so")]
    pub no_judge: NoKey,
    /// Whether warnings are errors, also for `ananke check` (default `false`). `--deny-warnings`
    #[schemars(example = &"${ENV.CI:-false}")]
    #[setting(group = Strictness)]
    #[setting(help = "Treat warnings as errors: nothing runs if there is one")]
    pub deny_warnings: Option<Flag>,
    /// The dialect of JUnit reports (default `default`). `--junit-profile`
    #[schemars(example = &"strict")]
    #[setting(value = JunitDialect, default = JunitDialect::Default, group = Reports, value_name = "PROFILE")]
    #[setting(help = "JUnit dialect (default: default)")]
    pub junit_profile: Option<JunitDialect>,
    /// How many of the last runs are kept in `.ananke/runs`, for `ananke show` and `ananke run --again`: 0 to 1000 (default 10;
    /// 0 if the environment variable `CI` is set).
    #[schemars(extend("x-since" = "1.4"), example = 3)]
    #[bounds(within = 0..=1000)]
    #[setting(value = usize)]
    pub keep: Option<Number>,
    /// The time that the rules of one test may compute, of the config's `limits`.
    #[serde(skip)]
    #[setting(value = Duration)]
    pub evaluation: NoKey,
    /// The tests for which reports contain what was sent and received, of the config's `report`; none in a run without a config,
    /// such as one in memory.
    #[serde(skip)]
    #[setting(value = ReportedEvents, default = ReportedEvents::Off)]
    pub events: NoKey,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comment_of_a_key_names_its_option() {
        let schema = schemars::schema_for!(RunDefaults).to_value();
        let keys = schema["properties"].as_object().expect("keys");
        let comments: Vec<&str> = keys
            .values()
            .filter_map(|key| key["description"].as_str())
            .collect();
        for flag in RunDefaults::FLAGS.iter().filter(|flag| flag.has_key) {
            let option = format!("`--{}`", flag.long);
            let naming = comments.iter().filter(|comment| comment.contains(&option));
            assert_eq!(naming.count(), 1, "{option}");
        }
    }

    #[test]
    fn a_setting_that_is_given_is_above_another_and_the_default_below_both() {
        let above = GivenSettings {
            parallel: Some(4),
            fail_fast: Some(false),
            ..GivenSettings::default()
        };
        let below = GivenSettings {
            fail_fast: Some(true),
            retries: Some(2),
            ..GivenSettings::default()
        };
        let expected = RunSettings {
            parallel: 4,
            retries: 2,
            ..RunSettings::default()
        };
        assert_eq!(above.or(below).effective(), expected);
        assert_eq!(RunSettings::default().parallel, 1);
    }
}

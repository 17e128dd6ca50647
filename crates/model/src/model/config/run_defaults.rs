//! The settings of a run that the command line does not give.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{BrokenProhibitions, Flag, Number, Percent, Short, Since, TestRuns};
use ananke_base::diagnostic::Spanned;
use ananke_derive::Bounds;

/// How tests run: defaults for the options of `ananke run`. The command line takes precedence; `--fail-fast=false` switches off
/// what is `true` here.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = RunDefaults::bounds)]
pub struct RunDefaults {
    /// Number of tests to run in parallel, 1 to 1024 (default 1). `--parallel`
    #[schemars(example = 8)]
    #[bounds(default = 1, within = 1..=1024)]
    pub parallel: Option<Number>,
    /// Timeout of each attempt at a test in milliseconds, with everything that it does except teardown. `--timeout`
    #[schemars(example = 120_000)]
    pub timeout_ms: Option<Number>,
    /// How often a failing test is retried, each time with fresh hooks and a new thread: 0 to 100 (default 0). `--retries`
    #[schemars(example = 2)]
    #[bounds(default = 0, within = 0..=100)]
    pub retries: Option<Number>,
    /// How often each test runs: a number, or until it is known whether its pass rate is good or bad. A test's own `runs`
    /// takes precedence. Cannot be combined with `retries`. `--runs`, `--runs-until-decided`
    #[schemars(example = 10)]
    pub runs: Option<Spanned<Short<TestRuns>>>,
    /// The share of a fixed number of runs that must pass (default `100%`). `--min-pass-rate`
    #[schemars(example = &"80%")]
    pub min_pass_rate: Option<Spanned<Percent>>,
    /// The weight of a run that breaks a prohibition: it fails its test (default), or counts as any run that fails. A test's
    /// own takes precedence.
    #[schemars(extend("x-since" = "1.4"), example = &"rate")]
    pub prohibitions: Option<BrokenProhibitions>,
    /// Whether a retry may use the thread of the attempt before it (default `false`). `--retry-dirty`
    #[schemars(example = true)]
    pub retry_dirty: Option<Flag>,
    /// How to count tests that pass only on a retry (default `pass`). `--flaky`
    #[schemars(example = &"fail")]
    pub flaky: Option<FlakyVerdict>,
    /// Whether the run stops after the first failing test (default `false`). `--fail-fast`
    #[schemars(example = true)]
    pub fail_fast: Option<Flag>,
    /// Whether a turn is aborted at the first violated rule (default `false`: it is evaluated completely). `--stop-early`
    #[schemars(example = true)]
    pub stop_early: Option<Flag>,
    /// Whether events that violate the protocol's rules fail a test (default `false`: they are warnings).
    /// `--strict-protocol`
    #[schemars(example = &"${ENV.CI:-false}")]
    pub strict_protocol: Option<Flag>,
    /// Whether warnings are errors, also for `ananke check` (default `false`). `--deny-warnings`
    #[schemars(example = &"${ENV.CI:-false}")]
    pub deny_warnings: Option<Flag>,
    /// The dialect of JUnit reports (default `default`). `--junit-profile`
    #[schemars(example = &"strict")]
    pub junit_profile: Option<JunitDialect>,
    /// How many of the last runs are kept in `.ananke/runs`, for `ananke show` and `ananke run --again`: 0 to 1000 (default 10;
    /// 0 if the environment variable `CI` is set).
    #[schemars(extend("x-since" = "1.4"), example = 3)]
    #[bounds(within = 0..=1000)]
    pub keep: Option<Number>,
}

/// How to count tests that pass only on a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum FlakyVerdict {
    /// Count as passed, marked as flaky.
    Pass,
    /// Count as failed.
    Fail,
}

/// The dialect of JUnit reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum JunitDialect {
    /// For most CI servers: file and line, properties and a transcript for each test.
    Default,
    /// Valid under the schemas of Jenkins' xUnit plugin and of Windy Road.
    Strict,
}

//! The number of runs of a test.

use schemars::JsonSchema;
use serde::Deserialize;

use super::percent::Percent;
use super::scalars::Number;
use super::short::ShortForm;
use super::since::Since;
use ananke_base::diagnostic::Spanned;
use ananke_derive::Bounds;

/// How often a test runs: a number of runs (`count`), or until it is known whether its pass rate is `good` or `bad`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Runs", transform = Since("1.3"), transform = TestRuns::bounds)]
pub struct TestRuns {
    /// The number of runs, from 1 to 10000. A number alone is `count`. Cannot be combined with the other keys.
    #[schemars(example = 10)]
    #[bounds(within = 1..=10_000)]
    pub count: Option<Number>,
    /// The pass rate of an agent that is good enough, such as `95%` (default). Above `bad`.
    #[schemars(example = &"95%")]
    pub good: Option<Spanned<Percent>>,
    /// The pass rate of an agent that must fail the test, such as `80%` (default).
    #[schemars(example = &"80%")]
    pub bad: Option<Spanned<Percent>>,
    /// How often either verdict may be wrong, such as `5%` (default). Below 50%.
    #[schemars(example = &"5%")]
    pub error: Option<Spanned<Percent>>,
    /// The most runs, from 1 to 10000 (default 60). A test that is not decided then is `undecided`.
    #[schemars(example = 60)]
    #[bounds(default = 60, within = 1..=10_000)]
    pub max: Option<Number>,
}

impl ShortForm for TestRuns {
    const KEY: &'static str = "count";

    type Value = Number;
}

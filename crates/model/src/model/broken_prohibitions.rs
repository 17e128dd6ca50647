//! The weight of runs that break a prohibition.

use schemars::JsonSchema;
use serde::Deserialize;

/// The weight of runs that break a prohibition, of a test that runs several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum BrokenProhibitions {
    /// One such run fails the test, whatever its pass rate.
    #[default]
    Fail,
    /// Such a run counts as any run that fails.
    Rate,
}

//! `limits` in the config.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Number;
use super::since::Since;

/// Limits of every test, whatever it tests.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct ProjectLimits {
    /// Time limit for the rules of one test in milliseconds, without what scripts and judges take (default 30000).
    #[schemars(range(min = 1), example = 60000)]
    pub evaluation_ms: Option<Number>,
}

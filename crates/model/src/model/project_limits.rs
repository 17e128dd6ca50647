//! `limits` in the config.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Number;
use super::since::Since;

/// What no test may take more of, whatever it tests.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct ProjectLimits {
    /// How long the rules of one test may compute, without what scripts and judges take (default 30000).
    #[schemars(range(min = 1), example = 60000)]
    pub evaluation_ms: Option<Number>,
}

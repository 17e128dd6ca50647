//! `limits` in the config.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Number;
use super::since::Since;
use ananke_derive::Bounds;

/// Limits of every test, whatever it tests.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = ProjectLimits::bounds)]
pub struct ProjectLimits {
    /// Time limit for the rules of one test in milliseconds, without what scripts and judges take (default 30000).
    #[schemars(example = 60000)]
    #[bounds(default = 30_000, within = 1..=u64::MAX)]
    pub evaluation_ms: Option<Number>,
}

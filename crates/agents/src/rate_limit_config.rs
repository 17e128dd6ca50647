//! The key `rate_limit` of a target.

use schemars::JsonSchema;
use serde::Deserialize;

use ananke_model::model::{Number, Since};

/// A limit of requests over time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct RateLimitConfig {
    /// How many requests may be sent in the time of `per_ms`: at least 1.
    #[schemars(example = 60)]
    pub requests: Number,
    /// The time in milliseconds: at least 1.
    #[schemars(example = 60_000)]
    pub per_ms: Number,
}

//! The key `rate_limit` of a target.

use schemars::JsonSchema;
use serde::Deserialize;

use ananke_derive::Bounds;
use ananke_model::model::{Number, Since};

/// A limit of requests over time.
#[derive(Clone, Debug, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = RateLimitConfig::bounds)]
pub struct RateLimitConfig {
    /// How many requests may be sent in the time of `per_ms`: 1 to 1000000.
    #[schemars(example = 60)]
    #[bounds(within = 1..=1_000_000)]
    pub requests: Number,
    /// The time in milliseconds: 1 to 4294967295.
    #[schemars(example = 60_000)]
    #[bounds(within = 1..=4_294_967_295)]
    pub per_ms: Number,
}

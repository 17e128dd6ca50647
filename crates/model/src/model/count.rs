//! How many there must be.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Excludes, Number, Scalar, Since, short::ShortForm};

/// A number of calls, or the length of a value: `exact`, or `min` and `max` (inclusive).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"), transform = Excludes(&[("exact", "min"), ("exact", "max")]))]
pub struct Count {
    /// Exactly this many; cannot be combined with `min` and `max`.
    pub exact: Option<Number>,
    /// At least this many.
    pub min: Option<Number>,
    /// At most this many.
    pub max: Option<Number>,
}

impl ShortForm for Count {
    const KEY: &'static str = "exact";
    type Value = Scalar<u64>;
}

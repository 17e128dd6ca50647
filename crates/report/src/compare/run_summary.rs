//! The summary of a run, as its report contains it.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// The summary of a run, as its report contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(expecting = "a summary")]
pub(crate) struct RunSummary {
    /// The number of results that the report must contain.
    pub(crate) total: usize,
    #[serde(default, rename = "duration_ms", deserialize_with = "microseconds")]
    pub(crate) elapsed_us: Option<u64>,
    /// Missing if the run was aborted.
    #[serde(default)]
    pub(crate) exit_code: Option<i64>,
}

/// Milliseconds as microseconds.
pub(super) fn microseconds<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    const A_CENTURY_MS: f64 = 3.2e12;
    let Some(ms) = Option::<f64>::deserialize(deserializer)? else {
        return Ok(None);
    };
    if !(0.0..A_CENTURY_MS).contains(&ms) {
        return Err(Error::custom(format!("nothing takes {ms} ms")));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "in range, and rounded"
    )]
    Ok(Some((ms * 1000.0).round() as u64))
}

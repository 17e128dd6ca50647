//! Durations for programs.

/// `us` microseconds in milliseconds, as in JSON. A double holds every time of this century to the microsecond.
#[expect(
    clippy::cast_precision_loss,
    reason = "285 years of microseconds are exact"
)]
pub(crate) fn milliseconds(us: u64) -> f64 {
    us as f64 / 1000.0
}

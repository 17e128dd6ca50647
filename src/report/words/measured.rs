//! A number and its limit, for people.

use crate::outcome::{Measured, MeasuredUnit};
use crate::text::duration;

/// `600 ms / 1 s`, `900 / 1000 tokens`: what there was, and the most that is allowed.
pub(crate) fn got_of_limit(measured: &Measured) -> String {
    let Measured { actual, limit, unit } = measured;
    match unit {
        MeasuredUnit::Milliseconds => {
            let limit = duration::exact(limit.saturating_mul(1000));
            format!("{} / {limit}", duration::rounded(*actual))
        }
        MeasuredUnit::Tokens | MeasuredUnit::Calls => format!("{actual} / {limit} {}", unit.as_str()),
    }
}

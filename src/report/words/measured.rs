//! A number and its limit, for people.

use super::duration;
use crate::outcome::{Measured, MeasuredUnit};

/// `600 ms / 1.0 s`, `900 / 1000 tokens`: what there was, and the most that is allowed.
pub(crate) fn got_of_limit(measured: &Measured) -> String {
    let Measured { actual, limit, unit } = measured;
    match unit {
        MeasuredUnit::Milliseconds => {
            let limit = duration::for_people(limit.saturating_mul(1000));
            format!("{} / {limit}", duration::for_people(*actual))
        }
        MeasuredUnit::Tokens | MeasuredUnit::Calls => format!("{actual} / {limit} {}", unit.as_str()),
    }
}

//! Numbers on the command line that have the bounds of a key.

use std::ops::RangeInclusive;

/// The number that `text` says.
///
/// # Errors
/// If it is none, or not `within` the bounds.
pub(super) fn bounded<N: TryFrom<u64>>(
    text: &str,
    within: &RangeInclusive<u64>,
) -> Result<N, String> {
    let number = text.parse().ok().filter(|number| within.contains(number));
    let (least, most) = (within.start(), within.end());
    number
        .and_then(|number| N::try_from(number).ok())
        .ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}

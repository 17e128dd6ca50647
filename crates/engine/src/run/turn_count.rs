//! Counts of turns, as outcomes and recordings contain them.

/// `turns` as a `u32`; the largest `u32` if there are more.
pub(super) fn turn_count(turns: usize) -> u32 {
    u32::try_from(turns).unwrap_or(u32::MAX)
}

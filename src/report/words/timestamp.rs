//! Moments as ISO 8601 in UTC.

use crate::context::Day;

/// The last millisecond of the year 9999: later ones have no four-digit year.
const LAST: u64 = 253_402_300_799_999;

/// `unix_ms` as `2026-11-21T22:08:00.000Z`.
pub(crate) fn iso(unix_ms: u64) -> String {
    let unix_ms = unix_ms.min(LAST);
    let of_day = unix_ms % 86_400_000;
    let (hours, minutes) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (seconds, millis) = (of_day / 1000 % 60, of_day % 1000);
    format!("{}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z", Day::of(unix_ms))
}

/// `unix_ms` as `2026-11-21T22:08:00`, as strict readers of JUnit want it: no zone, whole seconds.
pub(crate) fn iso_seconds(unix_ms: u64) -> String {
    let mut stamp = iso(unix_ms);
    stamp.truncate("2026-11-21T22:08:00".len());
    stamp
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_calendar() {
        for (unix_ms, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_868_799_000, "2000-02-29T23:59:59.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_767_225_599_000, "2025-12-31T23:59:59.000Z"),
            (1_795_298_880_123, "2026-11-21T22:08:00.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (u64::MAX, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(iso(unix_ms), expected);
            assert_eq!(iso_seconds(unix_ms), expected[..19]);
        }
    }
}

//! Moments as ISO 8601 in UTC.

const MS_OF_A_DAY: u64 = 86_400_000;

/// The last millisecond of the year 9999: later ones have no four-digit year.
const LAST: u64 = 253_402_300_799_999;

/// `unix_ms` as `2026-11-21T22:08:00.000Z`.
pub(super) fn iso(unix_ms: u64) -> String {
    let unix_ms = unix_ms.min(LAST);
    let (mut days, of_day) = (unix_ms / MS_OF_A_DAY, unix_ms % MS_OF_A_DAY);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hours, minutes) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (seconds, millis) = (of_day / 1000 % 60, of_day % 1000);
    format!("{year:04}-{month:02}-{:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z", days + 1)
}

/// `unix_ms` as `2026-11-21T22:08:00`, as strict readers of JUnit want it: no zone, whole seconds.
pub(super) fn iso_seconds(unix_ms: u64) -> String {
    let mut stamp = iso(unix_ms);
    stamp.truncate("2026-11-21T22:08:00".len());
    stamp
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
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

//! Durations, from microseconds: for people and for JSON.

/// `us` microseconds as people say it: `850 ms`, `1.2 s`, `2 min 5 s`, `1 h 3 min`.
pub(crate) fn for_people(us: u64) -> String {
    if (1..1000).contains(&us) {
        return "<1 ms".to_owned();
    }
    let rounded = |unit: u64| us.saturating_add(unit / 2) / unit;
    let (millis, tenths, seconds, minutes) =
        (rounded(1000), rounded(100_000), rounded(1_000_000), rounded(60_000_000));
    let two = |count: u64, part: &str, whole: u64, name: &str| match count % whole {
        0 => format!("{} {name}", count / whole),
        rest => format!("{} {name} {rest} {part}", count / whole),
    };
    if millis < 1000 {
        format!("{millis} ms")
    } else if tenths < 600 {
        format!("{}.{} s", tenths / 10, tenths % 10)
    } else if seconds < 3600 {
        two(seconds, "s", 60, "min")
    } else {
        two(minutes, "min", 60, "h")
    }
}

/// `us` microseconds in milliseconds, as in JSON. A double holds every time of this century to the microsecond.
#[expect(clippy::cast_precision_loss, reason = "285 years of microseconds are exact")]
pub(crate) fn milliseconds(us: u64) -> f64 {
    us as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_people_in_the_fitting_unit() {
        for (us, expected) in [
            (0, "0 ms"),
            (999, "<1 ms"),
            (1000, "1 ms"),
            (850_400, "850 ms"),
            (999_600, "1.0 s"),
            (1_240_000, "1.2 s"),
            (59_940_000, "59.9 s"),
            (59_960_000, "1 min"),
            (125_000_000, "2 min 5 s"),
            (3_599_600_000, "1 h"),
            (3_780_000_000, "1 h 3 min"),
        ] {
            assert_eq!(for_people(us), expected, "{us}");
        }
        assert!(for_people(u64::MAX).contains(" h"));
    }
}

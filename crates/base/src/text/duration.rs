//! Durations as people read them, the same everywhere: `850 ms`, `1.2 s`, `30 s`, `2 min 5 s`, `1 h 3 min`.

use std::fmt::Write as _;
use std::time::Duration;

/// `us` microseconds, rounded to what a person compares.
pub fn rounded(us: u64) -> String {
    if (1..1000).contains(&us) {
        return "<1 ms".to_owned();
    }
    let round = |unit: u64| us.saturating_add(unit / 2) / unit * unit;
    let to_tenths = round(100_000);
    if round(1000) < 1_000_000 {
        whole(round(1000))
    } else if to_tenths < 60_000_000 {
        whole(to_tenths)
    } else if round(1_000_000) < 3_600_000_000 {
        whole(round(1_000_000))
    } else {
        whole(round(60_000_000))
    }
}

/// `us` microseconds to the millisecond: the next one above, so that a time beyond a limit never looks equal to it.
pub fn exact(us: u64) -> String {
    whole(us.div_ceil(1000).saturating_mul(1000))
}

/// A duration that was chosen: a timeout, a limit.
pub fn chosen(duration: Duration) -> String {
    exact(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
}

/// So many microseconds, with every part that is not zero.
fn whole(us: u64) -> String {
    let (millis, seconds) = (us / 1000, us / 1_000_000);
    if millis < 1000 {
        return format!("{millis} ms");
    }
    let mut text = String::new();
    // Writing to a text cannot fail.
    for (count, unit) in [(seconds / 3600, "h"), (seconds / 60 % 60, "min")] {
        if count > 0 {
            let _ = write!(text, "{count} {unit} ");
        }
    }
    match (seconds % 60, millis % 1000) {
        (0, 0) => {}
        (seconds, 0) => _ = write!(text, "{seconds} s"),
        (seconds, millis) => {
            let _ = write!(text, "{seconds}.{millis:03}");
            text.truncate(text.trim_end_matches('0').len());
            text.push_str(" s");
        }
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measured_time_is_rounded_in_the_fitting_unit() {
        for (us, expected) in [
            (0, "0 ms"),
            (999, "<1 ms"),
            (1000, "1 ms"),
            (850_400, "850 ms"),
            (999_600, "1 s"),
            (1_240_000, "1.2 s"),
            (59_940_000, "59.9 s"),
            (59_960_000, "1 min"),
            (125_000_000, "2 min 5 s"),
            (3_599_600_000, "1 h"),
            (3_780_000_000, "1 h 3 min"),
        ] {
            assert_eq!(rounded(us), expected, "{us}");
        }
        assert!(rounded(u64::MAX).contains(" h"));
    }

    #[test]
    fn a_limit_and_what_is_beyond_it_are_exact() {
        for (us, expected) in [
            (30_000_000, "30 s"),
            (1_200_000, "1.2 s"),
            (1_000_001, "1.001 s"),
            (599_000, "599 ms"),
            (90_500_000, "1 min 30.5 s"),
            (7_200_000_000, "2 h"),
        ] {
            assert_eq!(exact(us), expected, "{us}");
        }
        assert_eq!(chosen(Duration::from_mins(5)), "5 min");
    }
}

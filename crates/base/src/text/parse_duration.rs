//! Durations as people write them: `30s`, `1h30m`, `1.5s`, `250ms`.
//!
//! **Invariant:** everything that reads durations reads them here; a number without a unit is an error.

use std::time::Duration;

/// The form of a duration.
const HELP: &str = "write it like `30s`, `5m`, `1h30m` or `500ms`";

/// The units, longest first, in microseconds.
const UNITS: [(&str, u64); 4] = [
    ("h", 3_600_000_000),
    ("m", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1000),
];

/// Reads a duration above zero: numbers, each with one of the units `h`, `m`, `s` and `ms`, longest first and each once
/// (SPEC 9, "Durations everywhere"). Spaces may separate the parts. Anything below a microsecond is dropped.
///
/// # Errors
/// The mistake in `text`, and the form to write instead.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(format!("a duration is missing; {HELP}"));
    }
    let mut units = &UNITS[..];
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (number, after) = split(rest, |character| {
            character.is_ascii_digit() || character == '.'
        });
        let (unit, after) = split(after.trim_start(), |character| {
            !character.is_ascii_digit() && !character.is_whitespace() && character != '.'
        });
        let place = units.iter().position(|(name, _)| *name == unit);
        let Some(place) = place.filter(|_| is_number(number)) else {
            return Err(mistake(number, unit));
        };
        let part = in_microseconds(number, units[place].1);
        total = part
            .and_then(|part| total.checked_add(part))
            .ok_or_else(|| format!("`{text}` is too long"))?;
        units = &units[place + 1..];
        rest = after.trim_start();
    }
    if total == 0 {
        return Err(zero());
    }
    Ok(Duration::from_micros(total))
}

/// The characters of `text` up to the first that is not `part`, and the others.
fn split(text: &str, part: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(
        text.find(|character| !part(character))
            .unwrap_or(text.len()),
    )
}

/// Whether it is `5` or `1.5`.
fn is_number(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    [whole, fraction]
        .iter()
        .all(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// So many units of `unit_us` microseconds; `None` if they are too many.
fn in_microseconds(number: &str, unit_us: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut total = whole.parse::<u64>().ok()?.checked_mul(unit_us)?;
    let mut digit_us = unit_us;
    for digit in fraction.bytes() {
        // What is below a tenth of a microsecond adds nothing.
        digit_us /= 10;
        total = total.checked_add(u64::from(digit - b'0') * digit_us)?;
    }
    Some(total)
}

/// The mistake in a part that is not a number and a unit that may come here.
fn mistake(number: &str, unit: &str) -> String {
    let known = UNITS.iter().any(|(name, _)| *name == unit);
    let meant = match unit.to_lowercase().as_str() {
        "min" | "mins" | "minute" | "minutes" => "m".to_owned(),
        "sec" | "secs" | "second" | "seconds" => "s".to_owned(),
        "hr" | "hrs" | "hour" | "hours" => "h".to_owned(),
        "msec" | "millis" | "millisecond" | "milliseconds" => "ms".to_owned(),
        other => other.to_owned(),
    };
    if !is_number(number) {
        return match number {
            "" => format!("`{unit}` does not begin with a number; {HELP}"),
            _ => format!("`{number}` is not a valid number; {HELP}"),
        };
    }
    match unit {
        "" if number.bytes().all(|byte| matches!(byte, b'0' | b'.')) => zero(),
        "" => format!("`{number}` has no unit; write `{number}s`, `{number}m` or `{number}ms`"),
        _ if known => format!(
            "`{number}{unit}` is not at its place: hours, minutes, seconds, milliseconds, each once; {HELP}"
        ),
        _ if UNITS.iter().any(|(name, _)| *name == meant) => {
            format!("`{unit}` is not a unit; write `{number}{meant}`")
        }
        _ => format!("`{unit}` is not a unit: there are `h`, `m`, `s` and `ms`; {HELP}"),
    }
}

fn zero() -> String {
    format!("a duration must be longer than zero; {HELP}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units_are_durations() {
        for (text, ms) in [
            ("30s", 30_000),
            ("5m", 300_000),
            ("1h30m", 5_400_000),
            ("1h 30m", 5_400_000),
            ("1.5s", 1500),
            ("0.25h", 900_000),
            ("2m5s10ms", 125_010),
            ("250ms", 250),
            (" 7 s ", 7000),
            ("0h1s", 1000),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(ms)),
                "{text}"
            );
        }
        assert_eq!(parse_duration("0.0015ms"), Ok(Duration::from_micros(1)));
    }

    #[test]
    fn anything_else_is_an_error_that_says_what_to_write() {
        for (text, expected) in [
            ("", "a duration is missing"),
            ("  ", "a duration is missing"),
            ("0", "longer than zero"),
            ("0s", "longer than zero"),
            ("30", "write `30s`, `30m`"),
            ("5M", "`M` is not a unit; write `5m`"),
            ("5min", "write `5m`"),
            ("2 Hours", "write `2h`"),
            ("3d", "there are `h`, `m`, `s` and `ms`"),
            ("s", "does not begin with a number"),
            ("-5s", "does not begin with a number"),
            ("1.s", "`1.` is not a valid number"),
            ("1.2.3s", "`1.2.3` is not a valid number"),
            ("30s1m", "`1m` is not at its place"),
            ("1s1s", "`1s` is not at its place"),
            ("1m30", "`30` has no unit"),
            ("99999999999999999999h", "is too long"),
            ("5000000h5000000000h", "is not at its place"),
            ("9999999999h", "is too long"),
            ("５s", "does not begin with a number"),
        ] {
            let error = parse_duration(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}

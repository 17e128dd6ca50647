//! The one comparison of JSON values: the order of keys does not count, and `5` is `5.0`.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use ananke_base::source::received_json::{self, JsonError, ReceivedJson, is_not_finite};

/// The most zeros at the end of a whole number that are written in its key.
const SPELLED_ZEROS: usize = 20;

/// Whether two values mean the same. Integers are compared exactly, however large they are; other numbers as doubles.
pub fn is_same_json(one: &Value, other: &Value) -> bool {
    match (one, other) {
        // A number that is not finite is not even itself.
        _ if is_not_finite(one) || is_not_finite(other) => false,
        (Value::Number(one), Value::Number(other)) => is_same_number(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same_json(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, one)| other.get(key).is_some_and(|other| is_same_json(one, other)))
        }
        (one, other) => one == other,
    }
}

/// A text that two values have in common exactly if they mean the same. That of a scalar is JSON.
pub fn json_key(value: &Value) -> String {
    let mut key = String::new();
    write_key(value, &mut key);
    key
}

fn write_key(value: &Value, key: &mut String) {
    match value {
        Value::Number(number) => key.push_str(&number_key(number)),
        Value::Array(items) => {
            key.push('[');
            for item in items {
                write_key(item, key);
                key.push(',');
            }
            key.push(']');
        }
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_unstable_by_key(|(name, _)| *name);
            key.push('{');
            for (name, value) in entries {
                key.push_str(&Value::from(name.as_str()).to_string());
                key.push(':');
                write_key(value, key);
                key.push(',');
            }
            key.push('}');
        }
        other => key.push_str(&other.to_string()),
    }
}

fn number_key(number: &Number) -> String {
    match Integer::of(number.as_str()) {
        Some(Integer {
            is_negative,
            digits,
            zeros,
        }) => {
            let sign = if is_negative { "-" } else { "" };
            match usize::try_from(zeros) {
                Ok(zeros) if zeros <= SPELLED_ZEROS => {
                    let digits = if digits.is_empty() { "0" } else { &digits };
                    format!("{sign}{digits}{}", "0".repeat(zeros))
                }
                // A double has a small `e`.
                _ => format!("{sign}{digits}E{zeros}"),
            }
        }
        None => number
            .as_f64()
            .map_or_else(|| number.to_string(), |double| format!("{double:?}")),
    }
}

/// Reads what an agent sent. Integers keep every digit; other numbers are doubles, so that `1.50` reads as `1.5`.
///
/// # Errors
/// If the text is not JSON.
pub fn read_json(text: &str) -> Result<ReceivedJson, JsonError> {
    let mut read = received_json::read(text)?;
    round_numbers(&mut read.value);
    read.other_values.iter_mut().for_each(round_numbers);
    Ok(read)
}

fn round_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            if let Some(double) = number.as_f64().and_then(Number::from_f64) {
                *number = double;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round_numbers),
        Value::Object(entries) => entries.values_mut().for_each(round_numbers),
        _ => {}
    }
}

/// Whether two numbers mean the same.
pub fn is_same_number(one: &Number, other: &Number) -> bool {
    if one == other {
        return true;
    }
    match (Integer::of(one.as_str()), Integer::of(other.as_str())) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one.as_f64().is_some() && one.as_f64() == other.as_f64(),
        _ => false,
    }
}

/// The order of two numbers: equal as [`is_same_number`] says, else by every digit that is written.
pub fn compare_numbers(one: &Number, other: &Number) -> Ordering {
    if is_same_number(one, other) {
        return Ordering::Equal;
    }
    DecimalDigits::of(one.as_str()).cmp(&DecimalDigits::of(other.as_str()))
}

/// A number as its sign, the position of its point and its digits without zeros at either end: `0.DIGITS * 10^point`.
#[derive(PartialEq, Eq)]
struct DecimalDigits {
    /// -1, 0 or 1.
    sign: i8,
    point: i64,
    digits: String,
}

impl DecimalDigits {
    fn of(text: &str) -> Self {
        let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        let leading = all.len() - digits.len();
        let digits = digits.trim_end_matches('0').to_owned();
        // An exponent that is out of range is as large, or as small, as any.
        let beyond = if exponent.starts_with('-') {
            i64::MIN
        } else {
            i64::MAX
        };
        let length = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        Self {
            sign: if digits.is_empty() { 0 } else { sign },
            point: exponent
                .parse()
                .unwrap_or(beyond)
                .saturating_add(length(whole.len()))
                .saturating_sub(length(leading)),
            digits,
        }
    }
}

impl Ord for DecimalDigits {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitude = || (self.point, &self.digits).cmp(&(other.point, &other.digits));
        self.sign.cmp(&other.sign).then_with(|| match self.sign {
            0 => Ordering::Equal,
            1 => magnitude(),
            _ => magnitude().reverse(),
        })
    }
}

impl PartialOrd for DecimalDigits {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A whole number, as its digits without zeros at either end and how many zeros follow them.
#[derive(PartialEq, Eq)]
struct Integer {
    is_negative: bool,
    digits: String,
    zeros: i64,
}

impl Integer {
    /// The whole number that a number in JSON is: `50`, `5e1` and `50.0` are one.
    fn of(text: &str) -> Option<Self> {
        let (is_negative, text) = text
            .strip_prefix('-')
            .map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let kept = digits.trim_end_matches('0');
        let dropped = i64::try_from(digits.len() - kept.len()).ok()?;
        let kept = kept.trim_start_matches('0');
        if kept.is_empty() {
            return Some(Self {
                is_negative: false,
                digits: String::new(),
                zeros: 0,
            });
        }
        let exponent = exponent.parse::<i64>().ok()?;
        let zeros = exponent
            .checked_add(dropped)?
            .checked_sub(i64::try_from(fraction.len()).ok()?)?;
        (zeros >= 0).then(|| Self {
            is_negative,
            digits: kept.to_owned(),
            zeros,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_what_they_mean() {
        let large = "18446744073709551617";
        for (text, read) in [
            ("1.50", "1.5"),
            ("1e2", "100.0"),
            ("5.0", "5.0"),
            (large, large),
            ("[{\"a\":2.50}]", "[{\"a\":2.5}]"),
        ] {
            assert_eq!(read_json(text).unwrap().value.to_string(), read);
        }
    }

    #[test]
    fn numbers_are_ordered_by_every_digit() {
        let number = |text: &str| serde_json::from_str::<Number>(text).expect(text);
        // Each is less than the next.
        let ascending = [
            "-1e999999999999999999999",
            "-1e400",
            "-18446744073709551617",
            "-10",
            "-9.5",
            "-9",
            "-0.05",
            "-1e-400",
            "0",
            "0.000123",
            "0.05",
            "0.5",
            "1",
            "9.99",
            "10",
            "10.01",
            "100",
            "9007199254740991.5",
            "9007199254740992",
            "9007199254740993",
            "18446744073709551616",
            "18446744073709551617",
            "1e30",
            "1000000000000000000000000000001",
            "1e400",
            "1e999999999999999999999",
        ];
        for (index, one) in ascending.iter().enumerate() {
            for (other_index, other) in ascending.iter().enumerate() {
                let found = compare_numbers(&number(one), &number(other));
                assert_eq!(found, index.cmp(&other_index), "{one} and {other}");
            }
        }
        for (one, other) in [
            ("5", "5.0"),
            ("50", "5e1"),
            ("0", "-0.0"),
            ("0.1", "0.10000000000000001"),
            ("100.00", "1E+2"),
        ] {
            assert_eq!(
                compare_numbers(&number(one), &number(other)),
                Ordering::Equal,
                "{one} and {other}"
            );
        }
    }

    #[test]
    fn integers_are_compared_exactly_and_other_numbers_as_doubles() {
        let is_same = |one: &str, other: &str| {
            is_same_json(
                &serde_json::from_str(one).unwrap(),
                &serde_json::from_str(other).unwrap(),
            )
        };
        for (one, other) in [
            ("5", "5.0"),
            ("-50", "-5e1"),
            ("0", "-0.0"),
            ("0", "0e9999999999999999999"),
            ("1.5", "1.50"),
            ("0.1", "0.10000000000000001"),
            ("18446744073709551616", "18446744073709551616.0"),
            ("1e30", "1000000000000000000000000000000"),
            ("{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}"),
        ] {
            assert!(is_same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("18446744073709551616", "18446744073709551617"),
            ("9007199254740993", "9007199254740992.0"),
            ("-18446744073709551617", "18446744073709551617"),
            (
                "115792089237316195423570985008687907853269984665640564039457584007913129639935",
                "1e77",
            ),
            ("5", "5.5"),
            ("5", "\"5\""),
            ("[1,2]", "[2,1]"),
            ("{\"a\":1}", "{\"a\":1,\"b\":1}"),
        ] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }
}

//! Numbers by their value: 5 is 5.0, and a whole number keeps every digit, however many it has.
//!
//! Flows in: numbers as they are spelled. Flows out: whether they are the same, their order, and the same number in another
//! spelling. **Invariant:** no whole number is compared or written as its neighbour.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// The most zeros at the end of a whole number that are written in its key.
const SPELLED_ZEROS: usize = 20;

/// A text that two numbers have in common exactly if they mean the same: that of a number in its shortest form.
pub fn number_key(number: &Number) -> String {
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

/// The number that a text of JSON is, with its spelling; `None` if it is none. The parser of JSON writes `5E7` as `5e+7`.
#[must_use]
pub fn spelled(text: &str) -> Option<Number> {
    let number: Number = serde_json::from_str(text).ok()?;
    if text.contains(['e', 'E']) {
        return Some(Number::from_string_unchecked(text.to_owned()));
    }
    Some(number)
}

/// The number without the `+` in its exponent, which the parser of JSON adds: `5e+7` as `5e7`.
#[must_use]
pub fn without_added_sign(number: &Number) -> Number {
    let text = number.as_str();
    if !text.contains("e+") {
        return number.clone();
    }
    spelled(&text.replacen("e+", "e", 1)).unwrap_or_else(|| number.clone())
}

/// The number as a double writes it, `1.50` as `1.5`, unless it is whole and a double does not have its digits.
#[must_use]
pub fn rounded(number: &Number) -> Number {
    if !number.is_f64() {
        return number.clone();
    }
    match number.as_f64().and_then(Number::from_f64) {
        Some(double) if is_same_number(number, &double) => double,
        _ => number.clone(),
    }
}

/// Whether every number in a value is as `is_so` says.
pub fn all_numbers(value: &Value, is_so: &impl Fn(&Number) -> bool) -> bool {
    match value {
        Value::Number(number) => is_so(number),
        Value::Array(items) => items.iter().all(|item| all_numbers(item, is_so)),
        Value::Object(entries) => entries.values().all(|inner| all_numbers(inner, is_so)),
        _ => true,
    }
}

/// Changes every number in a value.
pub fn change_numbers(value: &mut Value, change: fn(&Number) -> Number) {
    match value {
        Value::Number(number) => *number = change(number),
        Value::Array(items) => {
            for item in items {
                change_numbers(item, change);
            }
        }
        Value::Object(entries) => {
            for inner in entries.values_mut() {
                change_numbers(inner, change);
            }
        }
        _ => {}
    }
}

/// The number in its shortest form: `5.0` as `5`.
#[must_use]
pub fn shortest(number: &Number) -> Number {
    number_key(number)
        .parse()
        .unwrap_or_else(|_| number.clone())
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
    fn a_number_keeps_its_spelling() {
        for text in ["1.10", "5319e7", "5319E7", "5e+3", "1E-2", "-0.0", "5"] {
            assert_eq!(spelled(text).unwrap().as_str(), text);
        }
        for text in ["", "+5", ".5", "5.", "0x1F", "a", "5 6", "01"] {
            assert!(spelled(text).is_none(), "{text}");
        }
        let read: Number = serde_json::from_str("5319e7").unwrap();
        assert_eq!(without_added_sign(&read).as_str(), "5319e7");
    }

    #[test]
    fn rounding_changes_no_whole_number() {
        for (number, expected) in [
            ("1.50", "1.5"),
            ("5.0", "5.0"),
            ("5319e7", "53190000000.0"),
            ("9007199254740993.0", "9007199254740993.0"),
            ("9007199254740993", "9007199254740993"),
            ("0.10000000000000001", "0.1"),
            ("1e400", "1e+400"),
        ] {
            let number: Number = serde_json::from_str(number).unwrap();
            assert_eq!(rounded(&number).as_str(), expected);
        }
    }
}

//! The one comparison of JSON values: the order of keys does not count, and `5` is `5.0`.

use serde_json::Value;

use ananke_base::source::received_json::{self, JsonError, ReceivedJson, is_not_finite};
use ananke_base::source::{change_numbers, is_same_number, number_key, rounded};

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

/// Reads what an agent sent. Whole numbers keep every digit; other numbers are doubles, so that `1.50` reads as `1.5`.
///
/// # Errors
/// If the text is not JSON.
pub fn read_json(text: &str) -> Result<ReceivedJson, JsonError> {
    let mut read = received_json::read(text)?;
    change_numbers(&mut read.value, rounded);
    for other in &mut read.other_values {
        change_numbers(other, rounded);
    }
    Ok(read)
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
            ("9007199254740993.0", "9007199254740993.0"),
            ("9007199254740993e0", "9007199254740993e+0"),
            ("9007199254740992.0", "9007199254740992.0"),
            ("1e400", "1e+400"),
            ("[{\"a\":2.50}]", "[{\"a\":2.5}]"),
        ] {
            assert_eq!(read_json(text).unwrap().value.to_string(), read);
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
            ("9007199254740993.0", "9007199254740992"),
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

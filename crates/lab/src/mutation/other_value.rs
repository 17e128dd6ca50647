//! Another value of the same type, or of another type, and what identifiers look like.

use serde_json::{Value, json};

/// Another value of the same type.
pub(super) fn other(value: &Value) -> Value {
    match value {
        Value::Null => json!("another"),
        Value::Bool(value) => json!(!value),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => json!(number.wrapping_add(1)),
            (None, Some(number)) => json!(number + 1.0),
            (None, None) => json!(1),
        },
        Value::String(text) => json!(other_text(text)),
        Value::Array(items) => match items.split_last() {
            Some((last, rest)) => Value::Array(rest.iter().cloned().chain([other(last)]).collect()),
            None => json!(["another"]),
        },
        Value::Object(map) => {
            let mut map = map.clone();
            match map.values_mut().next() {
                Some(first) => *first = other(first),
                None => drop(map.insert("another".to_owned(), json!(true))),
            }
            Value::Object(map)
        }
    }
}

/// Another text: the last digit is another one, or there is a word more.
pub(super) fn other_text(text: &str) -> String {
    match text
        .char_indices()
        .rfind(|(_, character)| character.is_ascii_digit())
    {
        Some((at, digit)) => {
            let next = char::from_digit((digit.to_digit(10).unwrap_or_default() + 1) % 10, 10)
                .unwrap_or('0');
            format!("{}{next}{}", &text[..at], &text[at + 1..])
        }
        None => format!("{text} another").trim_start().to_owned(),
    }
}

/// A value of another type.
pub(super) fn retyped(value: &Value) -> Value {
    match value {
        Value::String(text) => json!([text]),
        value => json!(value.to_string()),
    }
}

/// Whether a value looks like an identifier: one word with a digit that is not a date or a number.
pub(super) fn identifier(value: &Value) -> Option<&str> {
    let text = value.as_str()?;
    let is_word = text
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || "-_".contains(character));
    let has = |kind: fn(&char) -> bool| text.chars().any(|character| kind(&character));
    (is_word && text.len() <= 64 && has(char::is_ascii_digit) && has(char::is_ascii_alphabetic))
        .then_some(text)
}

/// The identifiers in a value, in their order.
pub(super) fn identifiers(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| identifiers(item, found)),
        Value::Object(map) => map.values().for_each(|item| identifiers(item, found)),
        value => found.extend(identifier(value).map(str::to_owned)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_value_has_the_same_type_and_a_retyped_one_another() {
        for value in [
            json!(null),
            json!(true),
            json!(7),
            json!(1.5),
            json!("O-7"),
            json!("rome"),
            json!(""),
            json!([]),
            json!([1, 2]),
            json!({}),
            json!({"a": 1}),
        ] {
            let other = other(&value);
            assert_ne!(other, value);
            let kind = |value: &Value| std::mem::discriminant(value);
            assert!(
                value.is_null() || kind(&other) == kind(&value),
                "{value} {other}"
            );
            assert_ne!(kind(&retyped(&value)), kind(&value), "{value}");
        }
        assert_eq!(other_text("O-9"), "O-0");
        assert_eq!(identifier(&json!("O-7")), Some("O-7"));
        assert_eq!(
            [
                identifier(&json!("mug")),
                identifier(&json!("2026")),
                identifier(&json!("a 7"))
            ],
            [None; 3]
        );
    }
}

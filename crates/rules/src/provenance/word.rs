//! Words and numbers in a text.

use serde_json::{Number, Value};

use ananke_trace::trace::json_key;

/// The words of a text: its longest runs of letters, digits and `_`.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !is_word_sign(sign))
        .filter(|word| !word.is_empty())
}

/// The parts between whitespace, without punctuation at both ends.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let parts = text
        .split_whitespace()
        .map(|part| part.trim_matches(|sign: char| !is_word_sign(sign)));
    parts.filter(|part| !part.is_empty())
}

/// Whether `value` is in `text` with no letter, digit or `_` next to it.
pub(super) fn has_whole(text: &str, value: &str) -> bool {
    text.match_indices(value).any(|(start, found)| {
        let before = text[..start].chars().next_back();
        let after = text[start + found.len()..].chars().next();
        !(before.is_some_and(is_word_sign) || after.is_some_and(is_word_sign))
    })
}

/// The numbers in a text, each as long as it can be: `12.3450` contains no 3450. A minus may be a dash: `-5` is 5 too.
pub(super) fn numbers(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if !(first.is_ascii_digit() || starts_with_sign(rest)) {
            let length = word_length(rest).max(first.len_utf8());
            rest = &rest[length..];
            continue;
        }
        let (token, after) = rest.split_at(numeric_length(rest));
        // Letters after digits make a word of them.
        let letters = word_length(after);
        if letters == 0 {
            found.extend(meanings(token));
        }
        rest = &after[letters..];
    }
    found
}

/// Whether a text begins with a sign and a digit.
fn starts_with_sign(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']);
    unsigned.is_some_and(|digits| digits.starts_with(|sign: char| sign.is_ascii_digit()))
}

/// The length of the letters, digits and `_` at the start of a text.
fn word_length(text: &str) -> usize {
    text.find(|sign| !is_word_sign(sign)).unwrap_or(text.len())
}

/// The length of the digits at the start of a text, with a sign, points between them and an exponent.
fn numeric_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 1;
    loop {
        match bytes.get(end) {
            Some(b'.' | b'e' | b'E') if is_digit(end + 1) => end += 2,
            Some(b'e' | b'E')
                if matches!(bytes.get(end + 1), Some(b'+' | b'-')) && is_digit(end + 2) =>
            {
                end += 3;
            }
            Some(digit) if digit.is_ascii_digit() => end += 1,
            _ => return end,
        }
    }
}

/// The numbers that a token of digits, signs and points may be. With several points it is a date or a version: each of its
/// parts counts.
fn meanings(token: &str) -> Vec<String> {
    let unsigned = token.trim_start_matches(['-', '+']);
    if unsigned.matches('.').count() > 1 {
        return unsigned.split('.').filter_map(number).collect();
    }
    let signed = token.strip_prefix('-').and_then(|_| number(token));
    number(unsigned).into_iter().chain(signed).collect()
}

/// The number that a text is, if it is one.
pub(super) fn number(text: &str) -> Option<String> {
    let is_like_one = text.starts_with(|sign: char| sign.is_ascii_digit() || sign == '-');
    let number = is_like_one
        .then(|| serde_json::from_str::<Number>(text).ok())
        .flatten()?;
    Some(json_number(&Value::Number(number)))
}

/// The key of a number, which no text has.
pub(super) fn json_number(value: &Value) -> String {
    format!("number {}", json_key(value))
}

/// The key of a run of digits, which no text has.
pub(super) fn digits_key(digits: &str) -> String {
    format!("digits {digits}")
}

/// Whether it is the key of a number or of a run of digits.
pub(super) fn is_number_key(key: &str) -> bool {
    key.starts_with("number ") || key.starts_with("digits ")
}

/// The digits of a text.
pub(super) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Runs of digits, with the signs that people write between them: `+49 (30) 12`.
pub(super) fn runs_of_digits(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_inside = |sign: char| {
        sign.is_ascii_digit() || matches!(sign, ' ' | '-' | '(' | ')' | '/' | '.' | '+')
    };
    text.split(move |sign| !is_inside(sign))
        .map(digits)
        .filter(|digits| !digits.is_empty())
}

fn is_word_sign(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_number_of_a_text_counts() {
        for (text, expected) in [
            ("Pay 12.3450", &["12.345"][..]),
            ("Pay 3450.", &["3450"]),
            ("3450, 3451;3452", &["3450", "3451", "3452"]),
            ("$3450 or 3450€", &["3450", "3450"]),
            (
                "order-3450 and 10-20",
                &["3450", "-3450", "10", "20", "-20"],
            ),
            ("-5 or +7", &["5", "-5", "7"]),
            ("5e3 5.0 1e-1", &["5000", "5", "0.1"]),
            ("v3450 3450px _3450 12.3450x", &[]),
            (
                "03.06.2024 and 2024-10-11",
                &["2024", "2024", "10", "-10", "11", "-11"],
            ),
            ("a.3450 ٣٤٥٠ é3450", &["3450"]),
            ("-- 1. . -", &["1"]),
        ] {
            let expected: Vec<String> =
                expected.iter().map(|key| format!("number {key}")).collect();
            assert_eq!(numbers(text), expected, "{text}");
        }
    }
}

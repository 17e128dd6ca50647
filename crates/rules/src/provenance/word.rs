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

/// The numbers in a text, each as long as it can be.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|sign: char| !(is_word_sign(sign) || matches!(sign, '.' | '-' | '+')));
    parts.filter_map(|part| number(part.trim_end_matches('.').trim_start_matches('+')))
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

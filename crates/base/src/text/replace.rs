//! Replacing single characters of a text, without a copy where none is replaced.

use std::borrow::Cow;

/// `text` with what `write` appends for every character that `is_replaced` accepts.
pub(super) fn replace_chars(
    text: &str,
    is_replaced: impl Fn(char) -> bool,
    write: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    if !text.chars().any(&is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut replaced = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_replaced(character) {
            write(character, &mut replaced);
        } else {
            replaced.push(character);
        }
    }
    Cow::Owned(replaced)
}

/// `change` applied to `text`; copies only what changes.
pub(super) fn map_text<'a>(
    text: Cow<'a, str>,
    change: impl for<'b> Fn(&'b str) -> Cow<'b, str>,
) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => change(text),
        Cow::Owned(text) => Cow::Owned(change(&text).into_owned()),
    }
}

//! Numbers that are not finite: JSON has none, but servers in Python and JavaScript write them.
//!
//! In a value such a number is its name with a mark, which no text of a rule has. So it equals nothing.

use std::borrow::Cow;

use serde_json::Value;

/// The names of the numbers, as they are sent.
pub(super) const NAMES: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// The mark: a code point that is not a character.
const MARK: char = '\u{ffff}';

/// The value of a number.
pub(super) fn marked(name: &str) -> Value {
    Value::String(format!("{name}{MARK}"))
}

/// The name of a number that is not finite, if a text is one.
fn name(text: &str) -> Option<&'static str> {
    let name = text.strip_suffix(MARK)?;
    NAMES.into_iter().find(|known| *known == name)
}

/// Whether a value is a number that is not finite.
pub fn is_not_finite(value: &Value) -> bool {
    value.as_str().is_some_and(|text| name(text).is_some())
}

/// A value as it is written: numbers that are not finite are texts.
pub fn without_marks(value: &Value) -> Cow<'_, Value> {
    if !has_marks(value) {
        return Cow::Borrowed(value);
    }
    let mut written = value.clone();
    remove_marks(&mut written);
    Cow::Owned(written)
}

fn has_marks(value: &Value) -> bool {
    match value {
        Value::String(_) => is_not_finite(value),
        Value::Array(items) => items.iter().any(has_marks),
        Value::Object(entries) => entries.values().any(has_marks),
        _ => false,
    }
}

fn remove_marks(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(name) = name(text) {
                name.clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(remove_marks),
        Value::Object(entries) => entries.values_mut().for_each(remove_marks),
        _ => {}
    }
}

//! The JSON that agents sent, as the value it is.

use std::borrow::Cow;

use ananke_base::text::compact_json;
use serde_json::Value;
use serde_json::value::RawValue;

/// The deepest value that is written as JSON; with the line around it, it is within the limits of every reader.
const DEEPEST: usize = 64;

/// No arguments are an empty object, as in the rules.
pub(crate) fn arguments(args: &str) -> Box<RawValue> {
    json(if args.trim().is_empty() { "{}" } else { args })
}

/// `text` as the value it is, its numbers digit by digit as they were sent; else as a string.
pub(crate) fn json(text: &str) -> Box<RawValue> {
    let value = is_readable(text)
        .then(|| RawValue::from_string(compact_json(text).into_owned()).ok())
        .flatten();
    value
        .or_else(|| serde_json::value::to_raw_value(text).ok())
        .unwrap_or_default()
}

/// `text`, if it cannot be known from the `value` that it is written as.
pub(crate) fn other_text<'t>(value: &RawValue, text: &'t str) -> Option<Cow<'t, str>> {
    (text_of(value) != text).then_some(Cow::Borrowed(text))
}

/// The text that was sent as `value`: `other` if it is another than that of the value.
pub(crate) fn sent_text(value: &RawValue, other: Option<Cow<'_, str>>) -> String {
    other.map_or_else(|| text_of(value).into_owned(), Cow::into_owned)
}

/// The text of a value; of a string its content, unless that would be another value.
fn text_of(value: &RawValue) -> Cow<'_, str> {
    let string: Option<String> = serde_json::from_str(value.get()).ok();
    match string.filter(|text| !is_readable(text)) {
        Some(text) => Cow::Owned(text),
        None => Cow::Borrowed(value.get()),
    }
}

/// Whether every reader can make a value of it.
fn is_readable(text: &str) -> bool {
    // What a reader could not make a value of (half a surrogate pair, a number out of range) would cost it the line.
    serde_json::from_str::<Value>(text).is_ok_and(|value| depth(&value) <= DEEPEST)
}

fn depth(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(entries) => entries.values().map(depth).max(),
        _ => return 0,
    };
    1 + inside.unwrap_or(0)
}

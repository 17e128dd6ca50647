//! The JSON that agents sent, as the value it is.

use ananke_base::text::compact_json;
use serde_json::Value;
use serde_json::value::RawValue;

/// The deepest value that is written as JSON; with the line around it, it is within the limits of every reader.
const DEEPEST: usize = 64;

/// No arguments are an empty object, as in the rules.
pub(super) fn arguments(args: &str) -> Box<RawValue> {
    json(if args.trim().is_empty() { "{}" } else { args })
}

/// `text` as the value it is, its numbers digit by digit as they were sent; else as a string.
pub(super) fn json(text: &str) -> Box<RawValue> {
    // What a reader could not make a value of (half a surrogate pair, a number out of range) would cost it the line.
    let readable = serde_json::from_str::<Value>(text).is_ok_and(|value| depth(&value) <= DEEPEST);
    let value = readable
        .then(|| RawValue::from_string(compact_json(text).into_owned()).ok())
        .flatten();
    value
        .or_else(|| serde_json::value::to_raw_value(text).ok())
        .unwrap_or_default()
}

fn depth(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(entries) => entries.values().map(depth).max(),
        _ => return 0,
    };
    1 + inside.unwrap_or(0)
}

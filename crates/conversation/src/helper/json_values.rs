//! The JSON in an answer: alone, in a fenced block or between sentences.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A list or an object in a text.
#[derive(Debug, PartialEq)]
pub(super) enum JsonValue {
    /// A list; what is in it is not looked at.
    List,
    /// The keys of an object, in their order; a key may occur more than once.
    Object(Vec<String>),
}

/// Every list and object of `text` that is not part of another one, each with its place.
///
/// # Errors
/// If something begins like JSON and is not valid: what is inside of it may mean something else.
pub(super) fn json_values(text: &str) -> Result<Vec<(Range<usize>, JsonValue)>, String> {
    let mut found = Vec::new();
    // The search goes on after each value that was found, so nothing inside of it is found again.
    let mut from = 0;
    while let Some(distance) = text[from..].find(['{', '[']) {
        let start = from + distance;
        let rest = &text[start..];
        // A stream of values, of which only the first is read: other text may follow it.
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<JsonValue>();
        match values.next() {
            Some(Ok(value)) => {
                from = start + values.byte_offset();
                found.push((start..from, value));
            }
            Some(Err(error)) if looks_like_json(rest) => {
                // The error ends with a place in `rest`. It is removed, since a user does not see that text.
                let error = error.to_string();
                let reason = match error.rsplit_once(" at line ") {
                    Some((reason, _place)) => reason,
                    None => &error,
                };
                return Err(format!("JSON that is not valid: {reason}"));
            }
            // Braces and brackets of prose are skipped.
            Some(Err(_)) | None => from = start + 1,
        }
    }
    Ok(found)
}

/// Whether a text begins like JSON, and not like prose: with an object, or with a list of texts, lists or objects. Prose may
/// have numbers in brackets.
fn looks_like_json(text: &str) -> bool {
    let mut signs = text.chars();
    let opening = signs.next();
    let first = signs.find(|sign| !sign.is_whitespace());
    match opening {
        Some('{') => first == Some('"'),
        Some('[') => matches!(first, Some('"' | '[' | '{')),
        _ => false,
    }
}

impl<'de> Deserialize<'de> for JsonValue {
    /// Reads a list or an object, and keeps only the keys of an object. Any other value is an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct JsonVisitor;
        impl<'de> Visitor<'de> for JsonVisitor {
            type Value = JsonValue;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list or an object")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<JsonValue, A::Error> {
                // The items are read as values, because the depth of these is limited. That of ignored items is not.
                while items.next_element::<Value>()?.is_some() {}
                Ok(JsonValue::List)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonValue, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, _)) = map.next_entry::<String, Value>()? {
                    keys.push(key);
                }
                Ok(JsonValue::Object(keys))
            }
        }
        deserializer.deserialize_any(JsonVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Result<Vec<&str>, String> {
        let found = json_values(text)?;
        Ok(found.into_iter().map(|(range, _)| &text[range]).collect())
    }

    #[test]
    fn values_are_found_wherever_they_are() {
        for (text, expected) in [
            ("{\"a\": 1}", &["{\"a\": 1}"][..]),
            (
                "So:\n```json\n{\"a\": {\"b\": 1}}\n```\nDone {ok}.",
                &["{\"a\": {\"b\": 1}}"],
            ),
            ("[{\"a\": 1}] and {}", &["[{\"a\": 1}]", "{}"]),
            ("see [the page](x) and [1]", &["[1]"]),
            ("{\"a\": 1}{\"a\": 2}", &["{\"a\": 1}", "{\"a\": 2}"]),
            ("nothing } here ]", &[]),
        ] {
            assert_eq!(kinds(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_inside_of_broken_json_is_not_taken() {
        let error = kinds("{\"reason\": \"it said {\"a\": 1}\"}").unwrap_err();
        assert!(error.starts_with("JSON that is not valid: "), "{error}");
        assert!(kinds("{\"a\": [{\"a\": 1}").is_err());
    }

    #[test]
    fn a_hostile_text_is_read_in_linear_time() {
        for piece in [
            "{", "[", "{ ", "[1,", "[[1],", "{\"a\":", "[{\"a\":", "{\"", "{x:\"{",
        ] {
            let _ = json_values(&piece.repeat(5_000));
        }
    }
}

//! JSON without whitespace between its parts.

use std::borrow::Cow;

use serde::de::IgnoredAny;

/// `text` without the whitespace between its parts if it is JSON; any other text unchanged. Numbers and strings keep
/// their spelling.
pub fn compact_json(text: &str) -> Cow<'_, str> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    if !text.as_bytes().iter().any(blank) || serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Cow::Borrowed(text);
    }
    let mut compact = String::with_capacity(text.len());
    let (mut inside, mut escaped) = (false, false);
    for character in text.chars() {
        if inside {
            inside = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character == '"' {
            inside = true;
        } else if character.is_ascii_whitespace() {
            continue;
        }
        compact.push(character);
    }
    Cow::Owned(compact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_shortened_and_other_text_left_alone() {
        assert_eq!(
            compact_json("{\n  \"a b\": [1, 2.50],\t\"c\\\" d\": \" \" }"),
            r#"{"a b":[1,2.50],"c\" d":" "}"#
        );
        assert_eq!(compact_json("{not json at all}"), "{not json at all}");
        assert_eq!(compact_json(""), "");
    }
}

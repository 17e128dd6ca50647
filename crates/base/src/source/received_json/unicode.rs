//! Bytes to text: byte order marks, UTF-16, and bytes that are not UTF-8.

use std::borrow::Cow;

use super::json_error::JsonError;

/// The byte order mark as a character.
const MARK: char = '\u{feff}';

/// The text of bytes, without a byte order mark. Bytes that are not UTF-8 are U+FFFD.
///
/// # Errors
/// If it is UTF-16.
pub fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, JsonError> {
    match std::str::from_utf8(bytes) {
        // A NUL is no part of JSON, and half of all bytes of most texts in UTF-16.
        Ok(text) if !text.starts_with(MARK) && !is_utf16(bytes) => Ok(Cow::Borrowed(text)),
        _ if is_utf16(bytes) => Err(JsonError("is UTF-16, not UTF-8".to_owned())),
        Ok(text) => Ok(Cow::Borrowed(without_mark(text))),
        Err(_) => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            Ok(String::from_utf8_lossy(bytes))
        }
    }
}

/// Whether these bytes begin a text in UTF-16.
pub fn is_utf16(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [0, second, ..] => *second != 0,
        [first, 0, ..] => *first != 0,
        _ => false,
    }
}

/// A text without its byte order mark.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

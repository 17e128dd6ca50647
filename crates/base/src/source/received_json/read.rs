//! The ways to read a text: as a value, as a type, as an event whose texts may be pieces; and bytes to text: byte order marks,
//! UTF-16, and bytes that are not UTF-8.

use std::borrow::Cow;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::parser::{Parsed, parse};
use super::{Halves, JsonError, Oddities, SentText, halves, readings};

/// The most levels of lists and objects that a text may have.
pub const MAX_DEPTH: usize = 512;

/// The most levels that our own documents may have: they contain what agents sent.
pub(super) const MAX_OWN_DEPTH: usize = MAX_DEPTH + 64;

/// A text that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReceivedJson {
    /// The value of the text: it has the last value of a duplicate key.
    pub value: Value,
    /// The values of the text if other values of its duplicate keys count; empty if there are none.
    pub other_values: Vec<Value>,
    /// The oddities of the text.
    pub oddities: Oddities,
}

/// Reads a text.
///
/// # Errors
/// If it is not JSON, nests too deeply, or its duplicate keys can mean too many different values.
pub fn read(text: &str) -> Result<ReceivedJson, JsonError> {
    let text = without_mark(text);
    let Parsed {
        value,
        replaced,
        oddities,
    } = parse(text, Halves::Replaced, MAX_DEPTH)?;
    let other_values = readings::others(&value, &replaced)?;
    Ok(ReceivedJson {
        value,
        other_values,
        oddities,
    })
}

/// Reads the bytes of a text. Bytes that are not UTF-8 are U+FFFD.
///
/// # Errors
/// If it is not JSON, nests too deeply, or is UTF-16.
pub fn read_bytes(bytes: &[u8]) -> Result<ReceivedJson, JsonError> {
    let text = decoded(bytes)?;
    let is_lossy = matches!(text, Cow::Owned(_));
    let mut read = read(&text)?;
    read.oddities.is_lossy = is_lossy;
    Ok(read)
}

/// Reads an event whose texts may end within a character: halves of surrogate pairs are kept for a `HalfJoiner`.
///
/// # Errors
/// If it is not JSON, or nests too deeply.
pub fn read_event(text: &str) -> Result<(Value, Oddities), JsonError> {
    let text = without_mark(text);
    parse(text, Halves::Kept, MAX_DEPTH).map(|parsed| (parsed.value, parsed.oddities))
}

/// Reads the bytes of a text into a type, which says what is missing.
///
/// # Errors
/// If it is not JSON, nests too deeply, is UTF-16, or is not of this type.
pub fn read_as<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    read_deep(bytes, MAX_DEPTH)
}

/// Reads a document of our own, which contains what agents sent, into a type.
///
/// # Errors
/// If it is not JSON, nests too deeply, or is not of this type.
pub fn read_own<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    read_deep(bytes, MAX_OWN_DEPTH)
}

fn read_deep<T: DeserializeOwned>(bytes: &[u8], max_depth: usize) -> Result<T, JsonError> {
    let failure = match serde_json::from_slice(bytes) {
        Ok(value) => return Ok(value),
        Err(failure) => failure,
    };
    let parsed = parse(&decoded(bytes)?, Halves::Replaced, max_depth)?;
    // The words of the first attempt name a place.
    let of_type = |other: serde_json::Error| {
        let words = if failure.is_data() && !failure.to_string().starts_with("recursion limit") {
            failure.to_string()
        } else {
            other.to_string()
        };
        JsonError(words)
    };
    T::deserialize(parsed.value).map_err(of_type)
}

/// The text as strict JSON with the same meaning, for a type that borrows from it. Halves of surrogate pairs are escaped as
/// they were.
///
/// # Errors
/// If it is not JSON, or nests too deeply.
pub fn strict(text: &str) -> Result<(String, Oddities), JsonError> {
    let (value, oddities) = read_event(text)?;
    let strict = value.to_string();
    let strict = if oddities.has_half {
        halves::escaped(&strict)
    } else {
        strict
    };
    Ok((strict, oddities))
}

/// The content of a JSON string, with its quotes, as an event sends it.
pub fn sent_text(json: &str) -> SentText<'_> {
    let inner = json
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(json);
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return SentText::whole(inner);
    }
    match serde_json::from_str(json) {
        Ok(text) => SentText::whole(Cow::<str>::Owned(text)),
        Err(_) => match read_event(json) {
            Ok((Value::String(text), oddities)) => SentText::new(text, oddities.halves()),
            _ => SentText::whole(inner),
        },
    }
}

/// Whether a text is JSON.
pub fn is_json(text: &str) -> bool {
    // A text this short has no depth that is too large.
    let is_shallow = text.len() < MAX_DEPTH;
    is_shallow && serde_json::from_str::<IgnoredAny>(text).is_ok() || read_event(text).is_ok()
}

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
fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

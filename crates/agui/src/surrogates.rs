//! Halves of surrogate pairs in JSON strings, which some servers send and no text may contain.

use memchr::memchr;

/// `json` with U+FFFD for every half of a surrogate pair that is not part of a pair; `None` if there is none.
pub(super) fn without_lone_surrogates(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let mut repaired = String::new();
    let mut copied = 0;
    let mut position = 0;
    while let Some(found) = memchr(b'\\', bytes.get(position..).unwrap_or_default()) {
        let escape = position + found;
        let (is_lone, length) = match (code_unit(bytes, escape), code_unit(bytes, escape + 6)) {
            (None, _) => (false, 2),
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (false, 12),
            (Some(unit), _) => (matches!(unit, 0xD800..=0xDFFF), 6),
        };
        if is_lone {
            repaired.push_str(&json[copied..escape]);
            repaired.push(char::REPLACEMENT_CHARACTER);
            copied = escape + length;
        }
        position = escape + length;
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(&json[copied..]);
    Some(repaired)
}

/// The number of the escape `\uXXXX` at `position`, if there is one.
fn code_unit(bytes: &[u8], position: usize) -> Option<u16> {
    let digits = bytes.get(position..position + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

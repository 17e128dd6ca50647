//! Tokens that contain a secret inside of several encodings: base64 of base64, hexadecimal digits of JSON, a JSON Web Token.
//!
//! Flows in: any text. Flows out: the tokens of it that show a secret when they are decoded, whole.

use std::ops::Range;

use super::readings::each_reading;

/// The most levels of base64 and hexadecimal digits inside of each other (SPEC 14).
const DEEPEST: usize = 4;

/// The fewest characters of a secret that is looked for so: shorter ones would be found in innocent text.
pub(super) const SHORTEST: usize = 8;

/// The shortest token that may contain such a secret, in characters of base64.
const SHORTEST_TOKEN: usize = 11;

/// The longest token that is decoded, in bytes.
const LONGEST_TOKEN: usize = 64 << 10;

/// The number of characters in a row, all of a text, that a token must be decoded to: what is no text shows no secret.
const TEXT: usize = SHORTEST;

/// A secret that a text shows; `None` if it shows none.
type Find<'f, T> = &'f dyn Fn(&str) -> Option<T>;

/// The tokens of `text` that show something to `find` when they are decoded, also where they are encoded themselves, each with
/// what it is.
pub(super) fn tokens_with<T>(text: &str, find: Find<'_, T>) -> Vec<(Range<usize>, T)> {
    let mut found = Vec::new();
    each_reading(text, |reading| {
        each_token(reading.text(), |token| {
            if let Some(shown) = shown_by(&reading.text()[token.clone()], DEEPEST, find) {
                found.push((reading.origin(token), shown));
            }
        });
    });
    found
}

/// The first that `token` shows, if it is decoded up to so many times.
fn shown_by<T>(token: &str, levels: usize, find: Find<'_, T>) -> Option<T> {
    let deeper = levels.checked_sub(1)?;
    let mut shown = None;
    for (bits, value) in [(6, sextet as fn(u8) -> Option<u8>), (4, nibble)] {
        // A byte begins at any of four characters of base64, and of two digits.
        for offset in 0..if bits == 6 { 4 } else { 2 } {
            let Some(text) = decoded(token, offset, bits, value) else {
                continue;
            };
            each_reading(&text, |reading| {
                if shown.is_none() {
                    shown = find(reading.text());
                }
                each_token(reading.text(), |inner| {
                    if shown.is_none() {
                        shown = shown_by(&reading.text()[inner], deeper, find);
                    }
                });
            });
            if shown.is_some() {
                return shown;
            }
        }
    }
    None
}

/// Visits the range of each run of characters of base64 with its padding; hexadecimal digits are some of them.
fn each_token(text: &str, mut visit: impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..]
            .iter()
            .take_while(|byte| sextet(**byte).is_some())
            .count();
        let end = at + length;
        if (SHORTEST_TOKEN..=LONGEST_TOKEN).contains(&length) {
            let padding = bytes[end..]
                .iter()
                .take(2)
                .take_while(|byte| **byte == b'=');
            visit(at..end + padding.count());
        }
        at = end + 1;
    }
}

/// The text that the characters of `token` from `offset` on mean; `None` if nothing of it is long enough to be one.
fn decoded(token: &str, offset: usize, bits: usize, value: fn(u8) -> Option<u8>) -> Option<String> {
    let mut bytes = Vec::with_capacity(token.len() * bits / 8);
    let mut buffer = 0_u32;
    let mut filled = 0;
    for byte in token.bytes().skip(offset).filter(|byte| *byte != b'=') {
        buffer = (buffer << bits | u32::from(value(byte)?)) & 0xffff;
        filled += bits;
        if filled >= 8 {
            filled -= 8;
            bytes.extend(u8::try_from(buffer >> filled & 0xff));
        }
    }
    let mut run = 0;
    let is_text = bytes.utf8_chunks().any(|chunk| {
        let has_run = chunk.valid().chars().any(|character| {
            run = if character.is_control() { 0 } else { run + 1 };
            run >= TEXT
        });
        run = if chunk.invalid().is_empty() { run } else { 0 };
        has_run
    });
    is_text.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// The six bits of a character of base64, in either alphabet.
pub(super) fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

/// The four bits of a hexadecimal digit.
pub(super) fn nibble(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use regex::Regex;

    use super::*;
    use crate::redact::Redactor;

    const SECRET: &str = "pa/ss\"wörd-42";

    fn masked(text: &str) -> String {
        let redactor = Redactor::default();
        redactor.add([SECRET, "short"]);
        redactor.set_patterns(vec![Arc::new(Regex::new("sk-[0-9]{8}").unwrap())]);
        redactor.text(text).into_owned()
    }

    fn hex(text: &str) -> String {
        text.bytes().fold(String::new(), |mut digits, byte| {
            let _ = write!(digits, "{byte:02x}");
            digits
        })
    }

    fn json(text: &str) -> String {
        serde_json::json!({ "user": "u", "k": text }).to_string()
    }

    #[test]
    fn a_token_that_holds_a_secret_in_two_encodings_is_masked_whole() {
        let base64 = |text: &str| STANDARD.encode(text);
        let web_token = |payload: &str| {
            let parts = [r#"{"alg":"HS256"}"#, payload, "\u{1}signature"];
            parts.map(|part| URL_SAFE_NO_PAD.encode(part)).join(".")
        };
        for text in [
            base64(&base64(SECRET)),
            base64(&format!("Basic {}", base64(&format!("u:{SECRET}")))),
            hex(&json(SECRET)),
            hex(&base64(SECRET)),
            base64(&hex(SECRET)),
            base64(&json(&json(SECRET))),
            base64(&base64(&base64(&base64(SECRET)))),
            base64(&json("sk-12345678")),
            base64(&base64("sk-12345678")),
        ] {
            assert_eq!(
                masked(&format!("see {text}, please")),
                "see ***, please",
                "{text}"
            );
            let in_json = json(&text);
            assert_eq!(masked(&in_json), json("***"), "{text}");
        }
        let token = web_token(&json(SECRET));
        let masked_token = masked(&token);
        assert!(masked_token.contains(".***."), "{masked_token}");
    }

    #[test]
    fn what_holds_no_secret_stays_as_it_is() {
        for text in [
            STANDARD.encode(STANDARD.encode("nothing to be seen here at all")),
            // Shorter secrets are masked in base64 itself, as a part of it.
            STANDARD.encode(STANDARD.encode("short")),
            "run-0f8fad5b-d9cb-469f-a165-70867728950e".to_owned(),
            format!("/usr/share/{}", "long/".repeat(40)),
            "A".repeat(LONGEST_TOKEN + 1),
        ] {
            assert_eq!(masked(&text), text);
        }
    }

    fn encoded(text: &str, how: usize) -> String {
        match how {
            0 => STANDARD.encode(text),
            1 => URL_SAFE_NO_PAD.encode(text),
            2 => hex(text),
            3 => json(text),
            _ => text.bytes().fold(String::new(), |mut encoded, byte| {
                let _ = write!(encoded, "%{byte:02X}");
                encoded
            }),
        }
    }

    #[test]
    fn no_four_encodings_hide_a_secret() {
        let parts = Redactor::default();
        parts.add(["pa/ss\"wö", "\"wörd-42"]);
        for number in 0..5_usize.pow(4) {
            for before in ["", "u", "ab "] {
                let mut text = format!("{before}{SECRET}");
                let mut how = number;
                for _ in 0..4 {
                    text = encoded(&text, how % 5);
                    how /= 5;
                    let masked = masked(&text);
                    assert!(masked.contains("***"), "{number}: {masked}");
                    assert_eq!(
                        parts.text(&masked),
                        masked,
                        "{number}: no half of it is left"
                    );
                }
            }
        }
    }
}

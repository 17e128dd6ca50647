//! Texts inside of texts, in base64 or as hexadecimal digits, so that patterns are searched in them.
//!
//! Flows in: any text. Flows out: what each run of it means that may be encoded, and where in the text it is.

use std::ops::Range;

use super::nested::{nibble, sextet};

/// The shortest run that is looked into, in characters: it means a text of four bytes or more.
const SHORTEST_RUN: usize = 8;

/// The meaning of a run of characters.
pub(super) struct PackedText {
    /// The text; bytes that are none are replaced.
    pub(super) text: String,
    /// For every byte of the text the byte that it was decoded to, and at the end the number of bytes.
    bytes: Vec<usize>,
    /// The start of the run that was decoded.
    start: usize,
    end: usize,
    /// The number of bits of a character of the run.
    bits: usize,
}

impl PackedText {
    /// The place from which the text at `range` here was decoded.
    pub(super) fn origin(&self, range: Range<usize>) -> Range<usize> {
        let start = self.start + self.bytes[range.start] * 8 / self.bits;
        let end = self.start + (self.bytes[range.end] * 8).div_ceil(self.bits);
        start..end.min(self.end)
    }
}

/// Visits what each run of `text` means as base64 and as hexadecimal digits, wherever in the run it may begin.
pub(super) fn each_packed(text: &str, mut visit: impl FnMut(&PackedText)) {
    // A byte begins at any of four characters of base64, and of two digits.
    for (bits, offsets, value) in [
        (6_usize, 0..4, sextet as fn(u8) -> Option<u8>),
        (4, 0..2, nibble),
    ] {
        let mut end = 0;
        while let Some(found) = text.as_bytes()[end..]
            .iter()
            .position(|byte| value(*byte).is_some())
        {
            let start = end + found;
            let run = text.as_bytes()[start..]
                .iter()
                .map_while(|byte| value(*byte));
            let values: Vec<u8> = run.collect();
            end = start + values.len();
            if values.len() < SHORTEST_RUN {
                continue;
            }
            for offset in offsets.clone() {
                visit(&unpacked(&values[offset..], start + offset, bits));
            }
        }
    }
}

fn unpacked(values: &[u8], start: usize, bits: usize) -> PackedText {
    let (mut decoded, mut buffer, mut filled) = (Vec::with_capacity(values.len()), 0_u32, 0);
    for value in values {
        buffer = (buffer << bits | u32::from(*value)) & 0xffff;
        filled += bits;
        if filled >= 8 {
            filled -= 8;
            decoded.extend(u8::try_from(buffer >> filled & 0xff));
        }
    }
    let (mut text, mut bytes, mut at) = (String::with_capacity(decoded.len()), Vec::new(), 0);
    for chunk in decoded.utf8_chunks() {
        for character in chunk.valid().chars() {
            text.push(character);
            bytes.resize(text.len(), at);
            at += character.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            bytes.resize(text.len(), at);
            at += chunk.invalid().len();
        }
    }
    bytes.push(at);
    PackedText {
        text,
        bytes,
        start,
        end: start + values.len(),
        bits,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use regex::Regex;

    use crate::redact::Redactor;

    fn masked(text: &str) -> String {
        let redactor = Redactor::default();
        redactor.set_patterns(vec![Arc::new(Regex::new("sk-[a-z0-9é]{8,}").unwrap())]);
        redactor.text(text).into_owned()
    }

    #[test]
    fn a_pattern_is_found_in_base64_wherever_it_begins() {
        for before in ["", "u", "us", "use", "\u{0}\u{1}k: "] {
            for after in ["", ".", " é and more"] {
                let text = format!("{before}sk-abcd1234é{after}");
                for encoded in [STANDARD.encode(&text), URL_SAFE_NO_PAD.encode(&text)] {
                    for around in ["", "x/", "/xyz/", "key="] {
                        let masked = masked(&format!("see {around}{encoded} there"));
                        assert!(
                            masked.contains("***") && masked.ends_with(" there"),
                            "{text}: {masked}"
                        );
                        // Two characters may be shared with the text next to it.
                        assert!(
                            masked.len() < 36 + text.len() * 4 / 3 - 14,
                            "{text}: {masked}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_pattern_is_found_in_hexadecimal_digits() {
        assert_eq!(masked("key 736B2D6162636431323334 there"), "key *** there");
        assert_eq!(
            masked("key 0736b2d6162636431323334, there"),
            "key ***, there"
        );
        assert_eq!(
            masked("no-text-of-this-kind is d41d8cd98f00b204e9800998ecf8427e"),
            "no-text-of-this-kind is d41d8cd98f00b204e9800998ecf8427e"
        );
    }
}

//! The encodings in which a secret can leave the program.
//!
//! Flows in: one secret. Flows out: every text that says the same, the plain one first.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// The digits of hexadecimal numbers.
type HexDigits = &'static [u8; 16];

const UPPERCASE: HexDigits = b"0123456789ABCDEF";
const LOWERCASE: HexDigits = b"0123456789abcdef";

/// The shortest piece of base64 that is searched for: shorter ones would hit innocent text.
const SHORTEST_BASE64: usize = 6;

/// `secret` plain, JSON-escaped, URL-encoded, as pages and XML contain it, escaped as in a pattern, in hexadecimal digits,
/// and in base64 at each of the three alignments it can have inside a longer text, without the characters it shares with
/// its neighbours. What is decoded character by character is found by [`each_reading`](super::readings::each_reading).
pub(super) fn encodings(secret: &str) -> Vec<String> {
    let escaped = regex_syntax::escape(secret);
    let mut encodings = vec![secret.to_owned(), json_escaped(secret), escaped];
    let of_urls = [UPPERCASE, LOWERCASE].map(|digits| url_encoded(secret, digits));
    encodings.extend(
        of_urls
            .iter()
            .filter(|url| url.contains("%20"))
            .map(|url| url.replace("%20", "+")),
    );
    encodings.extend(of_urls);
    encodings.extend([UPPERCASE, LOWERCASE].map(|digits| hexadecimal(secret, digits)));
    encodings.extend(
        [
            ["&quot;", "&#39;"],
            ["&#34;", "&#x27;"],
            ["&quot;", "&apos;"],
            ["\"", "'"],
        ]
        .map(|quotes| marked_up(secret, quotes)),
    );
    for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
        let whole = engine.encode(secret);
        if whole.len() >= SHORTEST_BASE64 {
            let padding = "=".repeat((4 - whole.len() % 4) % 4);
            encodings.push(format!("{whole}{padding}"));
            encodings.push(whole);
        }
        for offset in 0..3 {
            let mut bytes = vec![0; offset];
            bytes.extend_from_slice(secret.as_bytes());
            let encoded = engine.encode(&bytes);
            let first = (offset * 8).div_ceil(6);
            let last = bytes.len() * 8 / 6;
            if last >= first + SHORTEST_BASE64 {
                encodings.push(encoded[first..last].to_owned());
            }
        }
    }
    encodings
}

fn json_escaped(secret: &str) -> String {
    let quoted = serde_json::Value::from(secret).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// As text in HTML or XML, where quotes are written in several ways.
fn marked_up(secret: &str, [double, single]: [&str; 2]) -> String {
    let plain = secret
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    plain.replace('"', double).replace('\'', single)
}

fn hexadecimal(secret: &str, digits: HexDigits) -> String {
    secret.bytes().flat_map(|byte| hex(byte, digits)).collect()
}

fn hex(byte: u8, digits: HexDigits) -> [char; 2] {
    [byte >> 4, byte & 15].map(|digit| char::from(digits[usize::from(digit)]))
}

fn url_encoded(secret: &str, digits: HexDigits) -> String {
    let mut encoded = String::with_capacity(secret.len() * 3);
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.extend(hex(byte, digits));
        }
    }
    encoded
}

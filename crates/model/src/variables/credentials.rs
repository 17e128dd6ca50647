//! The secret parts of a secret: the token after its scheme, single values of cookies, the user and password of `Basic`.
//!
//! Flows in: the value of a header or of a variable. Flows out: the parts of it that are secret alone as well.

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

use super::SHORTEST_SECRET;

/// Reads base64 with and without its padding.
const ANY_PADDING: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

/// Whether the value of a header has something to hide: not if it is empty, or the name of a scheme without what follows it.
pub fn has_credentials(value: &str) -> bool {
    let is_scheme = |scheme: &&str| value.trim().eq_ignore_ascii_case(scheme);
    !["", "bearer", "basic"].iter().any(is_scheme)
}

/// The parts of `value` that are secret alone.
pub fn credentials(value: &str) -> Vec<String> {
    let (mut parts, mut pairs) = (Vec::new(), value);
    if let Some((scheme, rest)) = with_scheme(value) {
        parts.push(rest.to_owned());
        if scheme.eq_ignore_ascii_case("basic") {
            parts.extend(basic(rest));
        }
        pairs = rest;
    }
    for pair in pairs.split([';', ',', '&']) {
        let Some((_, written)) = pair.split_once('=') else {
            continue;
        };
        parts.extend(
            forms(written.trim().trim_matches('"'))
                .into_iter()
                .filter(|part| is_long(part)),
        );
    }
    parts
}

/// The scheme of `Bearer abc`, and what follows it.
fn with_scheme(value: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = value.trim().split_once(' ')?;
    let is_scheme = scheme
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_scheme.then(|| (scheme, rest.trim()))
}

/// The content of the base64 of a header `Basic`: all of it, the user and the password.
fn basic(encoded: &str) -> Vec<String> {
    let engines = [&STANDARD, &URL_SAFE].map(|alphabet| GeneralPurpose::new(alphabet, ANY_PADDING));
    let decoded = engines
        .iter()
        .find_map(|engine| engine.decode(encoded).ok());
    let Some(whole) = decoded.and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return Vec::new();
    };
    let halves = whole
        .split_once(':')
        .map(|(user, password)| [user.to_owned(), password.to_owned()]);
    [whole]
        .into_iter()
        .chain(halves.into_iter().flatten())
        .filter(|part| !part.is_empty())
        .collect()
}

/// `text` as it is, and as it reads when its percent-encoding is removed.
pub(super) fn forms(text: &str) -> Vec<String> {
    let decoded = percent_decoded(text);
    let differs = decoded.as_deref().is_some_and(|decoded| decoded != text);
    [text.to_owned()]
        .into_iter()
        .chain(decoded.filter(|_| differs))
        .collect()
}

/// Whether a part is long enough to be masked. No warning is due to a shorter one: the value it is part of is masked.
pub(super) fn is_long(part: &str) -> bool {
    part.chars().count() >= SHORTEST_SECRET
}

/// A text without its percent-encoding; `None` if it is not UTF-8.
pub fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|digits| {
                let all = digits.iter().all(u8::is_ascii_hexdigit);
                u8::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| all)?, 16).ok()
            });
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() {
            &after[2..]
        } else {
            after
        };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_that_is_secret_alone_is_found() {
        for (value, expected) in [
            ("hunter22", &[][..]),
            ("Bearer hunter22", &["hunter22"]),
            (
                "Basic c2hvcDpodW50ZXIyMg==",
                &["c2hvcDpodW50ZXIyMg==", "shop:hunter22", "shop", "hunter22"],
            ),
            (
                "basic c2hvcDpodW50ZXIyMg",
                &["c2hvcDpodW50ZXIyMg", "shop:hunter22", "shop", "hunter22"],
            ),
            ("Basic no base64", &["no base64"]),
            (
                "sid=hunter22; theme=1; name=\"a%20b%20c\"",
                &["hunter22", "a%20b%20c", "a b c"],
            ),
            (
                "Digest username=\"shop\", response=\"hunter22\"",
                &[
                    "username=\"shop\", response=\"hunter22\"",
                    "shop",
                    "hunter22",
                ],
            ),
            ("c2hvcDpodW50ZXIyMg==", &[]),
            ("100%", &[]),
        ] {
            assert_eq!(credentials(value), expected, "{value}");
        }
    }
}

//! Secrets in a text that is encoded: JSON inside of JSON, where any character may be an escape, percent-encoding, and
//! the entities of HTML.

use std::ops::Range;

/// The most levels of an encoding inside of an encoding that are decoded.
const DEEPEST: usize = 4;

/// The entities with names that a secret may contain; every other character has a number.
const ENTITIES: [(&str, char); 24] = [
    ("amp;", '&'),
    ("quot;", '"'),
    ("apos;", '\''),
    ("lt;", '<'),
    ("gt;", '>'),
    ("sol;", '/'),
    ("bsol;", '\\'),
    ("colon;", ':'),
    ("semi;", ';'),
    ("equals;", '='),
    ("plus;", '+'),
    ("lowbar;", '_'),
    ("hyphen;", '-'),
    ("period;", '.'),
    ("comma;", ','),
    ("num;", '#'),
    ("percnt;", '%'),
    ("commat;", '@'),
    ("excl;", '!'),
    ("quest;", '?'),
    ("ast;", '*'),
    ("dollar;", '$'),
    ("verbar;", '|'),
    ("nbsp;", '\u{a0}'),
];

/// The kind of encoding that a reading decodes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decoding {
    /// The escapes of JSON.
    Json,
    /// Those, percent-encoding, and the entities of HTML.
    All,
}

/// Visits `text` as it is, after it was decoded once, twice, and so on.
pub(super) fn each_reading(text: &str, mut visit: impl FnMut(&Reading<'_>)) {
    visit(&Reading::Plain(text));
    for (marks, decoding) in [(&b"\\"[..], Decoding::Json), (b"%&", Decoding::All)] {
        if !marks
            .iter()
            .any(|mark| memchr::memchr(*mark, text.as_bytes()).is_some())
        {
            continue;
        }
        let mut before = Reading::Plain(text);
        for _ in 0..DEEPEST {
            let Some(deeper) = before.decoded(decoding) else {
                break;
            };
            visit(&deeper);
            before = deeper;
        }
    }
}

/// A text after some of it was decoded.
pub(super) enum Reading<'t> {
    /// Nothing was.
    Plain(&'t str),
    /// Something was: the text, and for every byte of it where what it was read from begins, and at the end where all
    /// ends.
    Decoded(String, Vec<usize>),
}

impl Reading<'_> {
    /// The text.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Decoded(text, _) => text,
        }
    }

    /// The place in the first text of what is at `range` here.
    pub(super) fn origin(&self, range: Range<usize>) -> Range<usize> {
        match self {
            Self::Plain(_) => range,
            Self::Decoded(_, from) => from[range.start]..from[range.end],
        }
    }

    /// Decoded once more; `None` if nothing is encoded.
    fn decoded(&self, decoding: Decoding) -> Option<Reading<'static>> {
        let whole = self.text();
        let (mut text, mut from) = (
            String::with_capacity(whole.len()),
            Vec::with_capacity(whole.len() + 1),
        );
        let (mut at, mut changed) = (0, false);
        while let Some(character) = whole[at..].chars().next() {
            let (character, length) = match encoded(&whole[at..], decoding) {
                Some(decoded) => {
                    changed = true;
                    decoded
                }
                None => (character, character.len_utf8()),
            };
            text.push(character);
            from.resize(text.len(), self.origin(at..at).start);
            at += length;
        }
        from.push(self.origin(at..at).start);
        changed.then_some(Reading::Decoded(text, from))
    }
}

/// The encoded character that `text` begins with, and the length of its encoding.
fn encoded(text: &str, decoding: Decoding) -> Option<(char, usize)> {
    match text.as_bytes().first()? {
        b'\\' => escape(text),
        b'%' if decoding == Decoding::All => percent(text),
        b'&' if decoding == Decoding::All => entity(text),
        _ => None,
    }
}

/// The escape of JSON that `text` begins with: its character and its length.
fn escape(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('\\')?;
    let plain = match rest.bytes().next()? {
        sign @ (b'"' | b'\\' | b'/') => char::from(sign),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let first = unit(rest)?;
            let pair = || {
                let second = unit(text.get(6..)?.strip_prefix('\\')?)?;
                char::decode_utf16([first, second])
                    .next()?
                    .ok()
                    .map(|character| (character, 12))
            };
            return char::from_u32(first.into())
                .map(|character| (character, 6))
                .or_else(pair);
        }
        _ => return None,
    };
    Some((plain, 2))
}

/// The number of `u1234`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let all = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| all)
}

/// The character whose percent-encoded bytes `text` begins with, and their length.
fn percent(text: &str) -> Option<(char, usize)> {
    let byte = |number: usize| {
        let digits = text.get(3 * number..)?.strip_prefix('%')?.get(..2)?;
        let all = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        u8::from_str_radix(digits, 16).ok().filter(|_| all)
    };
    let count = match byte(0)? {
        0..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let bytes = (0..count).map(byte).collect::<Option<Vec<u8>>>()?;
    let character = std::str::from_utf8(&bytes).ok()?.chars().next()?;
    Some((character, 3 * count))
}

/// The entity of HTML that `text` begins with: its character and its length.
fn entity(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('&')?;
    let Some(number) = rest.strip_prefix('#') else {
        let (name, character) = ENTITIES.iter().find(|(name, _)| rest.starts_with(name))?;
        return Some((*character, 1 + name.len()));
    };
    let (digits, radix) = number
        .strip_prefix(['x', 'X'])
        .map_or((number, 10), |digits| (digits, 16));
    let end = digits
        .bytes()
        .take(9)
        .position(|byte| byte == b';')
        .filter(|end| *end > 0)?;
    let all = digits[..end].chars().all(|digit| digit.is_digit(radix));
    let character = u32::from_str_radix(&digits[..end], radix)
        .ok()
        .filter(|_| all)
        .and_then(char::from_u32)?;
    Some((character, text.len() - digits.len() + end + 1))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use crate::redact::Redactor;

    const SECRET: &str = "pa/ss\"wörd😀";

    fn redactor() -> Redactor {
        let redactor = Redactor::default();
        redactor.add([SECRET]);
        redactor
    }

    #[test]
    fn a_secret_is_found_however_it_is_escaped() {
        let redactor = redactor();
        let levels = |count: usize| {
            (0..count).fold(SECRET.to_owned(), |text, _| {
                serde_json::json!({ "k": text, "q": "\"" }).to_string()
            })
        };
        for count in 0..=4 {
            let masked = redactor.text(&levels(count)).into_owned();
            assert!(
                masked.contains("***") && !masked.contains("rd"),
                "{count}: {masked}"
            );
            assert!(
                count == 0 || serde_json::from_str::<serde_json::Value>(&masked).is_ok(),
                "{masked}"
            );
        }
        for (text, expected) in [
            (
                r#"{"k":"\u0070a\/ss\"w\u00F6rd\ud83d\uDE00!"}"#,
                r#"{"k":"***!"}"#,
            ),
            (
                r#"a\nb \u0070a\/ss\"w\u00F6rd\ud83d\uDE00 \t"#,
                r"a\nb *** \t",
            ),
            (r"a\u12 \ud83d \x \", r"a\u12 \ud83d \x \"),
            (r"C:\new\table é", r"C:\new\table é"),
        ] {
            assert_eq!(redactor.text(text), expected);
        }
    }

    /// `text` with each of its characters encoded by `encode`.
    fn each(text: &str, encode: impl Fn(&mut String, char)) -> String {
        text.chars().fold(String::new(), |mut encoded, character| {
            encode(&mut encoded, character);
            encoded
        })
    }

    #[test]
    fn a_secret_is_found_percent_encoded_and_in_entities() {
        let redactor = redactor();
        let percent = each(SECRET, |encoded, character| {
            for byte in character.to_string().bytes() {
                let _ = write!(encoded, "%{byte:02x}");
            }
        });
        let decimal = each(SECRET, |encoded, character| {
            let _ = write!(encoded, "&#{};", u32::from(character));
        });
        let hexadecimal = each(SECRET, |encoded, character| {
            let _ = write!(encoded, "&#x{:X};", u32::from(character));
        });
        let twice = percent.replace('%', "%25");
        let in_json = serde_json::Value::from(decimal.as_str()).to_string();
        for text in [
            &percent,
            &twice,
            &twice.replace('%', "%25"),
            &decimal,
            &hexadecimal,
            &in_json,
        ] {
            let masked = redactor
                .text(&format!("see {text}, please"))
                .replace('"', "");
            assert_eq!(masked, "see ***, please", "{text}");
        }
        assert_eq!(redactor.text("pa%2Fss&quot;w%C3%B6rd&#128512;"), "***");
    }

    #[test]
    fn what_only_looks_encoded_stays_as_it_is() {
        let redactor = redactor();
        for text in [
            "100% of %zz %c3 %ff%",
            "a & b &; &#; &#x; &#99999999; &#xd800; &quo",
            "%é &é",
        ] {
            assert_eq!(redactor.text(text), text);
        }
    }
}

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

impl Decoding {
    /// The next byte that may begin something encoded.
    fn next_mark(self, text: &str) -> Option<usize> {
        match self {
            Self::Json => memchr::memchr(b'\\', text.as_bytes()),
            Self::All => memchr::memchr3(b'\\', b'%', b'&', text.as_bytes()),
        }
    }

    /// Whether it is worth trying: what it alone decodes may be in the text.
    fn may_apply(self, text: &str) -> bool {
        match self {
            Self::Json => self.next_mark(text).is_some(),
            Self::All => memchr::memchr2(b'%', b'&', text.as_bytes()).is_some(),
        }
    }
}

/// Visits `text` as it is, after it was decoded once, twice, and so on.
pub(super) fn each_reading(text: &str, mut visit: impl FnMut(&Reading<'_>)) {
    visit(&Reading { text, levels: &[] });
    for decoding in [Decoding::Json, Decoding::All] {
        if !decoding.may_apply(text) {
            continue;
        }
        let mut levels: Vec<Decoded> = Vec::new();
        while levels.len() < DEEPEST {
            let before = levels.last().map_or(text, |level| &*level.text);
            let Some(deeper) = Decoded::of(before, decoding) else {
                break;
            };
            levels.push(deeper);
            let levels = &*levels;
            let text = levels.last().map_or(text, |level| &*level.text);
            visit(&Reading { text, levels });
        }
    }
}

/// A text after some of it was decoded, as often as there are levels.
pub(super) struct Reading<'t> {
    text: &'t str,
    /// From the first text to this one.
    levels: &'t [Decoded],
}

impl Reading<'_> {
    /// The text.
    pub(super) fn text(&self) -> &str {
        self.text
    }

    /// The place in the first text of what is at `range` here.
    pub(super) fn origin(&self, range: Range<usize>) -> Range<usize> {
        let origin = |at| {
            let outwards = self.levels.iter().rev();
            outwards.fold(at, |at, level| level.origin(at))
        };
        origin(range.start)..origin(range.end)
    }
}

/// A text that was decoded once.
struct Decoded {
    text: String,
    /// The characters of it that were encoded, in their order.
    characters: Vec<DecodedCharacter>,
}

/// A character that was encoded, with what follows it as it was: the bytes at which they begin.
struct DecodedCharacter {
    /// The character in the decoded text.
    start: usize,
    /// The text after it there.
    rest: usize,
    /// The character in the encoded text.
    from: usize,
    /// The text after it there.
    rest_from: usize,
}

impl Decoded {
    /// `whole`, decoded once; `None` if nothing in it is encoded.
    fn of(whole: &str, decoding: Decoding) -> Option<Self> {
        let (mut text, mut characters) = (String::new(), Vec::new());
        // Everything before `copied` is in the text.
        let (mut copied, mut at) = (0, 0);
        while let Some(mark) = decoding.next_mark(&whole[at..]) {
            at += mark;
            let Some((character, length)) = encoded(&whole[at..], decoding) else {
                at += 1;
                continue;
            };
            text.push_str(&whole[copied..at]);
            let start = text.len();
            text.push(character);
            characters.push(DecodedCharacter {
                start,
                rest: text.len(),
                from: at,
                rest_from: at + length,
            });
            at += length;
            copied = at;
        }
        if characters.is_empty() {
            return None;
        }
        text.push_str(&whole[copied..]);
        Some(Self { text, characters })
    }

    /// The byte of the encoded text that the byte `at` was read from.
    fn origin(&self, at: usize) -> usize {
        let before = self
            .characters
            .partition_point(|decoded| decoded.start <= at);
        match before.checked_sub(1).map(|last| &self.characters[last]) {
            None => at,
            Some(decoded) if at < decoded.rest => decoded.from,
            Some(decoded) => decoded.rest_from + at - decoded.rest,
        }
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

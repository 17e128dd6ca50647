//! Secrets inside JSON that is part of a text: there a sender may write any character as an escape, and JSON inside a
//! string of JSON has its escapes escaped again.

use std::ops::Range;

/// How deep JSON inside of JSON is looked into.
const DEEPEST: usize = 4;

/// Visits `text` as it is, after its escapes were read, after those were that this gave, and so on.
pub(super) fn each_reading(text: &str, mut visit: impl FnMut(&Reading<'_>)) {
    visit(&Reading::Plain(text));
    let mut before = Reading::Plain(text);
    for _ in 0..DEEPEST {
        let Some(deeper) = before.unescaped() else { break };
        visit(&deeper);
        before = deeper;
    }
}

/// A text after some escapes were read.
pub(super) enum Reading<'t> {
    /// None were.
    Plain(&'t str),
    /// Some were: the text, and for every byte of it where what it was read from begins, and at the end where all ends.
    Unescaped(String, Vec<usize>),
}

impl Reading<'_> {
    /// The text.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Unescaped(text, _) => text,
        }
    }

    /// Where the first text holds what is at `range` here.
    pub(super) fn origin(&self, range: Range<usize>) -> Range<usize> {
        match self {
            Self::Plain(_) => range,
            Self::Unescaped(_, from) => from[range.start]..from[range.end],
        }
    }

    /// One more level of escapes read; `None` where there are none.
    fn unescaped(&self) -> Option<Reading<'static>> {
        let whole = self.text();
        memchr::memchr(b'\\', whole.as_bytes())?;
        let (mut text, mut from) = (String::with_capacity(whole.len()), Vec::with_capacity(whole.len() + 1));
        let (mut at, mut changed) = (0, false);
        while let Some(character) = whole[at..].chars().next() {
            let (character, length) = match escape(&whole[at..]) {
                Some(escaped) => {
                    changed = true;
                    escaped
                }
                None => (character, character.len_utf8()),
            };
            text.push(character);
            from.resize(text.len(), self.origin(at..at).start);
            at += length;
        }
        from.push(self.origin(at..at).start);
        changed.then_some(Reading::Unescaped(text, from))
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
                char::decode_utf16([first, second]).next()?.ok().map(|character| (character, 12))
            };
            return char::from_u32(first.into()).map(|character| (character, 6)).or_else(pair);
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

#[cfg(test)]
mod tests {
    use crate::redact::Redactor;

    #[test]
    fn a_secret_is_found_however_it_is_escaped() {
        let redactor = Redactor::default();
        redactor.add(["pa/ss\"wörd😀"]);
        let levels = |count: usize| {
            (0..count).fold("pa/ss\"wörd😀".to_owned(), |text, _| {
                serde_json::json!({ "k": text, "q": "\"" }).to_string()
            })
        };
        for count in 0..=4 {
            let masked = redactor.text(&levels(count)).into_owned();
            assert!(masked.contains("***") && !masked.contains("rd"), "{count}: {masked}");
            assert!(count == 0 || serde_json::from_str::<serde_json::Value>(&masked).is_ok(), "{masked}");
        }
        for (text, expected) in [
            (r#"{"k":"\u0070a\/ss\"w\u00F6rd\ud83d\uDE00!"}"#, r#"{"k":"***!"}"#),
            (r#"a\nb \u0070a\/ss\"w\u00F6rd\ud83d\uDE00 \t"#, r"a\nb *** \t"),
            (r"a\u12 \ud83d \x \", r"a\u12 \ud83d \x \"),
            (r"C:\new\table é", r"C:\new\table é"),
        ] {
            assert_eq!(redactor.text(text), expected);
        }
    }
}

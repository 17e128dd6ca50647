//! Secrets inside JSON that is told as text: there a sender may write any character as an escape, and JSON inside a
//! string of JSON has its escapes escaped again.

use std::ops::Range;

use aho_corasick::{AhoCorasick, PatternID};

/// How deep JSON inside of JSON is looked into.
const DEEPEST: usize = 4;

/// Where in `text` the secrets are that only show when escapes are read.
pub(super) fn find_escaped(text: &str, search: &AhoCorasick) -> Vec<(Range<usize>, PatternID)> {
    let mut found = Vec::new();
    each_level(text, |read| {
        found.extend(
            search.find_iter(&read.text).map(|secret| (read.origin(secret.range()), secret.pattern())),
        );
    });
    found
}

/// Tells `text` after its escapes were read, after those were that this gave, and so on.
pub(super) fn each_level(text: &str, mut tell: impl FnMut(&Read)) {
    let mut read = Read::plain(text);
    for _ in 0..DEEPEST {
        let Some(deeper) = read.unescaped() else { break };
        read = deeper;
        tell(&read);
    }
}

/// A text after some escapes were read.
pub(super) struct Read {
    pub(super) text: String,
    /// For every byte of the text where what it was read from begins, and at the end where all ends.
    from: Vec<usize>,
}

impl Read {
    fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), from: (0..=text.len()).collect() }
    }

    /// Where the first text holds what stands at `range` here.
    pub(super) fn origin(&self, range: Range<usize>) -> Range<usize> {
        self.from[range.start]..self.from[range.end]
    }

    /// One more level of escapes read; `None` where there are none.
    fn unescaped(&self) -> Option<Self> {
        memchr::memchr(b'\\', self.text.as_bytes())?;
        let mut read = Self { text: String::with_capacity(self.text.len()), from: Vec::new() };
        let (mut at, mut changed) = (0, false);
        while let Some(character) = self.text[at..].chars().next() {
            let (character, length) = match escape(&self.text[at..]) {
                Some(escaped) => {
                    changed = true;
                    escaped
                }
                None => (character, character.len_utf8()),
            };
            read.text.push(character);
            read.from.resize(read.text.len(), self.from[at]);
            at += length;
        }
        read.from.push(self.from[at]);
        changed.then_some(read)
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
    use super::super::Redactor;

    #[test]
    fn a_secret_is_found_however_it_is_escaped() {
        let redactor = Redactor::default();
        redactor.learn("pa/ss\"wörd😀");
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

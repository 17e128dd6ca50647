//! Commands that CI servers read from what a program prints. The text of an agent or of a file must not set
//! variables, forge annotations or attach files of the machine that ran the tests.
//!
//! **Invariant:** an escaped text contains no command, and means the same to a person.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

/// The pairs of characters with which commands begin. To prepare a search takes longer than to search a short text.
static PAIRS: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| [Finder::new("::"), Finder::new("##"), Finder::new("[[")]);

/// `text` with the first character of every command made a visible escape: `::name` at the start of a line (GitHub), `##[name]`,
/// `##vso[…]`, `##teamcity[…]`, and `[[ATTACHMENT|…]]`, for which servers publish a file, anywhere.
pub fn escape(text: &str) -> Cow<'_, str> {
    escape_with(text, |first| match first {
        b':' => "\\u{3a}",
        b'#' => "\\u{23}",
        _ => "\\u{5b}",
    })
}

/// As [`escape`], with `replacement` for the first character of every command, which is `:`, `#` or `[`.
pub fn escape_with(text: &str, replacement: impl Fn(u8) -> &'static str) -> Cow<'_, str> {
    let starts = starts(text);
    if starts.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8 * starts.len());
    let mut from = 0;
    for at in starts {
        escaped.push_str(&text[from..at]);
        escaped.push_str(replacement(text.as_bytes()[at]));
        from = at + 1;
    }
    escaped.push_str(&text[from..]);
    Cow::Owned(escaped)
}

/// The positions at which commands begin, ascending.
fn starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut starts = Vec::new();
    // Most texts have none of the pairs, which is found out faster than where each of their first characters is.
    let mut has_pair = false;
    for pair in PAIRS.iter() {
        has_pair |= pair.find(bytes).is_some();
    }
    if !has_pair {
        return starts;
    }
    for at in memchr::memchr3_iter(b':', b'#', b'[', bytes) {
        let is_command = match bytes[at..] {
            [b':', b':', ..] => {
                let before = text[..at].trim_end_matches(|character: char| {
                    character != '\n' && character.is_whitespace()
                });
                before.is_empty() || before.ends_with('\n')
            }
            [b'#', b'#', ref rest @ ..] => rest
                .iter()
                .find(|byte| !byte.is_ascii_alphabetic())
                .is_some_and(|byte| *byte == b'['),
            [b'[', b'[', ref rest @ ..] => rest
                .iter()
                .find(|byte| !byte.is_ascii_uppercase())
                .is_some_and(|byte| *byte == b'|'),
            _ => false,
        };
        if is_command {
            starts.push(at);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_text() {
        for (text, expected) in [
            ("::error file=a::b", "\\u{3a}:error file=a::b"),
            ("a\n  ::add-mask::b", "a\n  \\u{3a}:add-mask::b"),
            (
                "x ##vso[task.setvariable variable=a]b",
                "x \\u{23}#vso[task.setvariable variable=a]b",
            ),
            ("##[group]", "\\u{23}#[group]"),
            ("###[group]", "#\\u{23}#[group]"),
            (
                "a [[ATTACHMENT|/etc/passwd]]",
                "a \\u{5b}[ATTACHMENT|/etc/passwd]]",
            ),
            ("[[[ATTACHMENT|b]]", "[\\u{5b}[ATTACHMENT|b]]"),
            (
                "std::io, a :: b, ## Title [link], ##, [[1|2]], [[Home|page]]",
                "std::io, a :: b, ## Title [link], ##, [[1|2]], [[Home|page]]",
            ),
        ] {
            assert_eq!(escape(text), expected);
            assert_eq!(escape(expected), expected, "nothing is left to escape");
        }
    }
}

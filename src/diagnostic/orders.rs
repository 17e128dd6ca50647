//! Texts that build servers obey: the words of an agent or of a file must not set variables, forge annotations or attach
//! files of the machine that ran the tests.
//!
//! **Invariant:** what is disarmed holds no order, and says the same to a person.

use std::borrow::Cow;

/// `text` with the first sign of every order made a visible escape: `::name` at the start of a line (GitHub), `##[name]`,
/// `##vso[…]`, `##teamcity[…]`, and `[[ATTACHMENT|…]]`, for which servers publish a file, anywhere.
pub fn disarmed(text: &str) -> Cow<'_, str> {
    rewritten(text, |sign| match sign {
        b':' => "\\u{3a}",
        b'#' => "\\u{23}",
        _ => "\\u{5b}",
    })
}

/// As [`disarmed`], with `replacement` in the place of every first sign, which is `:`, `#` or `[`.
pub fn rewritten(text: &str, replacement: impl Fn(u8) -> &'static str) -> Cow<'_, str> {
    let signs = first_signs(text);
    if signs.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut rewritten = String::with_capacity(text.len() + 8 * signs.len());
    let mut from = 0;
    for at in signs {
        rewritten.push_str(&text[from..at]);
        rewritten.push_str(replacement(text.as_bytes()[at]));
        from = at + 1;
    }
    rewritten.push_str(&text[from..]);
    Cow::Owned(rewritten)
}

/// Where orders begin, ascending.
fn first_signs(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut signs = Vec::new();
    // Most texts have none of the pairs: they are looked at in one go.
    if ["::", "##", "[["].iter().all(|pair| memchr::memmem::find(bytes, pair.as_bytes()).is_none()) {
        return signs;
    }
    for at in memchr::memchr3_iter(b':', b'#', b'[', bytes) {
        let is_order = match bytes[at..] {
            [b':', b':', ..] => {
                let before = text[..at]
                    .trim_end_matches(|character: char| character != '\n' && character.is_whitespace());
                before.is_empty() || before.ends_with('\n')
            }
            [b'#', b'#', ref rest @ ..] => {
                rest.iter().find(|byte| !byte.is_ascii_alphabetic()).is_some_and(|byte| *byte == b'[')
            }
            [b'[', b'[', ref rest @ ..] => {
                rest.iter().find(|byte| !byte.is_ascii_uppercase()).is_some_and(|byte| *byte == b'|')
            }
            _ => false,
        };
        if is_order {
            signs.push(at);
        }
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_become_text() {
        for (text, expected) in [
            ("::error file=a::b", "\\u{3a}:error file=a::b"),
            ("a\n  ::add-mask::b", "a\n  \\u{3a}:add-mask::b"),
            ("x ##vso[task.setvariable variable=a]b", "x \\u{23}#vso[task.setvariable variable=a]b"),
            ("##[group]", "\\u{23}#[group]"),
            ("###[group]", "#\\u{23}#[group]"),
            ("a [[ATTACHMENT|/etc/passwd]]", "a \\u{5b}[ATTACHMENT|/etc/passwd]]"),
            ("[[[ATTACHMENT|b]]", "[\\u{5b}[ATTACHMENT|b]]"),
            (
                "std::io, a :: b, ## Title [link], ##, [[1|2]], [[Home|page]]",
                "std::io, a :: b, ## Title [link], ##, [[1|2]], [[Home|page]]",
            ),
        ] {
            assert_eq!(disarmed(text), expected);
            assert_eq!(disarmed(expected), expected, "nothing is left to disarm");
        }
    }
}

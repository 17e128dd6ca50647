//! Texts that build servers obey: an agent's words must not set variables, forge annotations or attach files.

use std::borrow::Cow;

/// `text` with the first sign of every order in a log made a visible escape: `::name` at the start of a line (GitHub),
/// `##[name]`, `##vso[…]`, `##teamcity[…]` anywhere.
pub(super) fn disarmed(text: &str) -> Cow<'_, str> {
    let signs = order_signs(text);
    if signs.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut disarmed = String::with_capacity(text.len() + 8 * signs.len());
    let mut from = 0;
    for at in signs {
        disarmed.push_str(&text[from..at]);
        disarmed.push_str(if text.as_bytes()[at] == b':' { "\\u{3a}" } else { "\\u{23}" });
        from = at + 1;
    }
    disarmed.push_str(&text[from..]);
    Cow::Owned(disarmed)
}

/// `text` without marks for attachments, for which servers would publish a file of the machine that ran the tests.
pub(super) fn detached(text: &str) -> Cow<'_, str> {
    const MARK: &str = "[[ATTACHMENT|";
    if text.contains(MARK) { Cow::Owned(text.replace(MARK, "[[ATTACHMENT |")) } else { Cow::Borrowed(text) }
}

/// Where orders begin, ascending.
fn order_signs(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut signs = Vec::new();
    for pair in memchr::memchr2_iter(b':', b'#', bytes) {
        let is_order = match bytes[pair..] {
            [b':', b':', ..] => {
                text[..pair].rsplit('\n').next().is_some_and(|before| before.trim().is_empty())
            }
            [b'#', b'#', ref rest @ ..] => {
                rest.iter().find(|byte| !byte.is_ascii_alphabetic()).is_some_and(|byte| *byte == b'[')
            }
            _ => false,
        };
        if is_order {
            signs.push(pair);
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
            ("std::io, a :: b, ## Title [link], ##", "std::io, a :: b, ## Title [link], ##"),
        ] {
            assert_eq!(disarmed(text), expected);
        }
        assert_eq!(detached("a [[ATTACHMENT|/etc/passwd]]"), "a [[ATTACHMENT |/etc/passwd]]");
    }
}

//! A text that is written like a pattern where none is expected: a regular expression, also between slashes, or a glob.

use regex::{Regex, RegexBuilder};

/// The most bytes that a pattern may compile to: what is longer is not compared.
const MOST_BYTES: usize = 1 << 20;

/// Parts of regular expressions that are hardly in texts.
const OF_PATTERNS: [&str; 12] = [
    ".*", ".+", "]+", "]*", "]{", "[0-9]", "[a-z]", "[A-Z]", "\\d", "\\w", "\\s", "\\b",
];

/// The pattern as a regular expression, and that of a glob where the text may be one.
#[derive(Clone, Debug)]
pub(super) struct WrittenPattern(Regex);

impl WrittenPattern {
    /// The pattern that a text is, if it hardly means itself; a `*` without anything that it repeats belongs to a glob.
    pub(super) fn of(text: &str) -> Option<Self> {
        if !is_implausible_literal(text) {
            return None;
        }
        let between_slashes = text
            .strip_prefix('/')
            .and_then(|rest| rest.strip_suffix('/'));
        let regex = match between_slashes {
            Some(inside) => inside.to_owned(),
            None if is_glob(text) => of_glob(text),
            None => text.to_owned(),
        };
        let mut builder = RegexBuilder::new(&regex);
        builder.size_limit(MOST_BYTES).build().ok().map(Self)
    }

    /// The regular expression.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether a text contains a match.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// Whether a text has a `*` and nothing else of a regular expression.
fn is_glob(text: &str) -> bool {
    let is_of_regex = |sign: char| "^$|()[]{}+?\\".contains(sign);
    text.contains('*') && !text.contains(".*") && !text.contains(is_of_regex)
}

/// Whether a text hardly means itself: it has an anchor, a class with what repeats it or of a range, `.*`, an escaped class, or a `*`
/// in a word. Brackets and `|` alone are in titles, paths and texts of JSON.
fn is_implausible_literal(text: &str) -> bool {
    let inside = match text
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'))
    {
        Some(inside) => inside,
        None => text,
    };
    let is_anchored = (inside.starts_with('^') || inside.ends_with('$')) && inside.len() > 1;
    is_anchored && !inside.contains("${")
        || inside.starts_with("(?")
        || OF_PATTERNS.iter().any(|part| inside.contains(part))
        || is_glob(inside) && has_star_in_word(inside)
}

/// Whether a text has a single `*` next to a letter, a digit or a hyphen, and nowhere another one.
fn has_star_in_word(text: &str) -> bool {
    let is_of_word = |sign: char| sign.is_alphanumeric() || "-_./:".contains(sign);
    let mut parts = text.split('*').peekable();
    let mut is_in_word = true;
    while let Some(part) = parts.next() {
        let Some(next) = parts.peek() else {
            break;
        };
        is_in_word &= part.ends_with(is_of_word) || next.starts_with(is_of_word);
    }
    is_in_word
}

/// A text in a regular expression. Outside of brackets a hyphen means itself.
pub(super) fn escaped(text: &str) -> String {
    regex::escape(text).replace("\\-", "-")
}

/// The regular expression of a glob: `^O-` for `O-*`.
fn of_glob(glob: &str) -> String {
    let parts: Vec<String> = glob.split('*').map(escaped).collect();
    let regex = parts.join(".*");
    let is_open = |part: Option<&String>| part.is_some_and(String::is_empty);
    let (is_open_before, is_open_after) = (is_open(parts.first()), is_open(parts.last()));
    let regex = regex.trim_start_matches(".*").trim_end_matches(".*");
    let before = if is_open_before { "" } else { "^" };
    let after = if is_open_after { "" } else { "$" };
    format!("{before}{regex}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_is_a_pattern_of_whole_texts() {
        for (glob, regex) in [
            ("O-*", "^O-"),
            ("*-7", "-7$"),
            ("*refund*", "refund"),
            ("a*b.c", "^a.*b\\.c$"),
        ] {
            let pattern = WrittenPattern::of(glob).expect(glob);
            assert_eq!(pattern.as_str(), regex);
        }
        assert!(WrittenPattern::of("(*").is_none());
    }
}

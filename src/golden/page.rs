//! The lines of a snapshot: items with a label, their texts below them where they do not fit on one line.
//!
//! **Invariant:** two texts never look alike: what cannot be seen is written as `\u{…}`, also a blank at the end of a
//! line, which editors remove, and what is too long leaves its digest behind.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::context::digest;
use crate::text::is_confusable;

/// How far an item stands in below what it belongs to.
pub(super) const STEP: usize = 2;

/// How many bytes of one text or value are written out.
const MAX_ITEM: usize = 64 << 10;

/// How many bytes of the whole are written out.
const MAX_WHOLE: usize = 8 << 20;

/// Lines in the making.
#[derive(Debug, Default)]
pub(super) struct Page(String);

impl Page {
    /// A line of words that were made harmless before.
    pub(super) fn line(&mut self, indent: usize, words: &str) {
        if !words.is_empty() {
            self.0.extend(std::iter::repeat_n(' ', indent));
        }
        self.0.push_str(words);
        self.0.push('\n');
    }

    /// `label: text`, or the label and below it the lines of the text.
    pub(super) fn text(&mut self, indent: usize, label: &str, text: &str) {
        let visible = visible(text);
        self.lines(indent, label, &visible);
    }

    /// As [`text`](Self::text), of what was made harmless before.
    pub(super) fn lines(&mut self, indent: usize, label: &str, text: &str) {
        let cut = cut(text, MAX_ITEM);
        if text.is_empty() {
            self.line(indent, &format!("{label}:"));
        } else if !cut.contains('\n') {
            self.line(indent, &format!("{label}: {cut}"));
        } else {
            self.line(indent, &format!("{label}:"));
            cut.split('\n').for_each(|line| self.line(indent + STEP, line));
        }
    }

    /// The whole.
    pub(super) fn finish(self) -> String {
        match cut(&self.0, MAX_WHOLE) {
            Cow::Borrowed(_) => self.0,
            Cow::Owned(cut) => cut + "\n",
        }
    }
}

/// The first `max` bytes of `text`, and of the rest what tells whether it changes.
fn cut(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let (kept, rest) = text.split_at(text.floor_char_boundary(max));
    Cow::Owned(format!("{kept}… ({} more bytes, digest {})", rest.len(), digest(rest)))
}

/// `text` with its line feeds, and with every other character that cannot be seen as an escape.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let is_plain = |line: &str| {
        !line.chars().any(is_confusable) && !line.contains("\\u{") && !line.ends_with(char::is_whitespace)
    };
    if text.split('\n').all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() + 16);
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            visible.push('\n');
        }
        push_visible(line, &mut visible);
    }
    Cow::Owned(visible)
}

/// As [`visible`], for a word that stays on its line.
pub(super) fn visible_line(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    push_visible(text, &mut visible);
    visible
}

fn push_visible(line: &str, visible: &mut String) {
    let body = line.trim_end_matches(char::is_whitespace).len();
    let mut backslashes = 0;
    for (at, character) in line.char_indices() {
        let is_escaped = is_confusable(character) || at >= body;
        if is_escaped || line[at..].starts_with("u{") {
            // Backslashes before an escape, or before what looks like one, are doubled: so neither is taken for the other.
            visible.extend(std::iter::repeat_n('\\', backslashes));
        }
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
        if is_escaped {
            // Writing to a String cannot fail.
            let _ = write!(visible, "\\u{{{:x}}}", u32::from(character));
        } else {
            visible.push(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        for (text, expected) in [
            ("plain → ✓ é 👩‍🚀\n\n  text", "plain → ✓ é 👩‍🚀\n\n  text"),
            (
                "a tab\there, a blank \nand a return\r\n",
                "a tab\\u{9}here, a blank\\u{20}\nand a return\\u{d}\n",
            ),
            ("\u{1b}[31m\u{202e}x", "\\u{1b}[31m\\u{202e}x"),
            (r"\frac{a}{b} C:\users", r"\frac{a}{b} C:\users"),
            (r"\u{1b}", r"\\u{1b}"),
            ("\\\u{1b}", r"\\\u{1b}"),
            (r"\\u{1b}", r"\\\\u{1b}"),
        ] {
            assert_eq!(visible(text), expected);
        }
        assert_eq!(visible_line("a\nb"), "a\\u{a}b");
    }

    #[test]
    fn texts_of_several_lines_stand_below_their_label() {
        let mut page = Page::default();
        page.text(2, "says", "one");
        page.text(2, "says", "");
        page.text(2, "says", "one\n\ntwo\n");
        assert_eq!(page.finish(), "  says: one\n  says:\n  says:\n    one\n\n    two\n\n");
    }

    #[test]
    fn what_is_cut_leaves_its_digest() {
        let long = |last: char| {
            let mut page = Page::default();
            page.text(0, "says", &(String::from_utf8(vec![b'a'; MAX_ITEM + 9]).unwrap() + &last.to_string()));
            page.finish()
        };
        assert!(long('b').len() < MAX_ITEM + 100 && long('b').contains("… (10 more bytes, digest "));
        assert_ne!(long('b'), long('c'));
    }
}

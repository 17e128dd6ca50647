//! Writes the lines of a snapshot: items with a label, and texts of several lines indented under their label.
//!
//! **Invariant:** different texts look different: an invisible character is written as `\u{…}`, also whitespace at the end
//! of a line, which editors remove, and what is too long leaves its hash.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::rendered_text::RenderedText;
use ananke_base::context::digest;
use ananke_base::text::is_confusable;

/// The indentation of an item under the one it belongs to.
pub(super) const STEP: usize = 2;

/// The most bytes of one text or value that are written.
const MAX_ITEM: usize = 64 << 10;

/// The most bytes of the whole snapshot that are written.
const MAX_WHOLE: usize = 8 << 20;

/// The lines written so far.
#[derive(Debug, Default)]
pub(super) struct LineWriter {
    text: String,
    /// The number of lines.
    lines: usize,
    /// The lines with JSON, and where it begins in them.
    json: BTreeMap<usize, usize>,
}

impl LineWriter {
    /// Writes a line whose text is escaped already.
    pub(super) fn line(&mut self, indent: usize, words: &str) {
        if !words.is_empty() {
            self.text.extend(std::iter::repeat_n(' ', indent));
        }
        self.text.push_str(words);
        self.text.push('\n');
        self.lines += 1;
    }

    /// Writes `label: text`, or the label and under it the lines of the text.
    pub(super) fn text(&mut self, indent: usize, label: &str, text: &str) {
        let visible = visible(text);
        self.lines(indent, label, &visible);
    }

    /// Writes `label: json`, or the label and under it the lines of the JSON.
    pub(super) fn json(&mut self, indent: usize, label: &str, json: &str) {
        let first = self.lines;
        self.lines(indent, label, json);
        if self.lines == first + 1 {
            self.json.insert(first, indent + label.len() + ": ".len());
        }
        for line in first + 1..self.lines {
            self.json.insert(line, indent + STEP);
        }
    }

    /// As [`text`](Self::text), for a text that is escaped already.
    fn lines(&mut self, indent: usize, label: &str, text: &str) {
        let cut = truncated(text, MAX_ITEM);
        if text.is_empty() {
            self.line(indent, &format!("{label}:"));
        } else if !cut.contains('\n') {
            self.line(indent, &format!("{label}: {cut}"));
        } else {
            self.line(indent, &format!("{label}:"));
            cut.split('\n')
                .for_each(|line| self.line(indent + STEP, line));
        }
    }

    /// The whole text.
    pub(super) fn finish(self) -> RenderedText {
        let text = match truncated(&self.text, MAX_WHOLE) {
            Cow::Borrowed(_) => self.text,
            Cow::Owned(cut) => cut + "\n",
        };
        RenderedText {
            text,
            json: self.json,
        }
    }
}

/// The first `max` bytes of `text`, and the hash of the rest.
fn truncated(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let (kept, rest) = text.split_at(text.floor_char_boundary(max));
    Cow::Owned(format!(
        "{kept}… ({} more bytes, hash {})",
        rest.len(),
        digest(rest)
    ))
}

/// `text` with its line feeds, and with every other invisible character escaped.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let is_plain = |line: &str| {
        !line.chars().any(is_confusable)
            && !line.contains("\\u{")
            && !line.ends_with(char::is_whitespace)
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

/// As [`visible`], for a text that stays on its line: line feeds are escaped too.
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
            // Backslashes before an escape, or before what looks like one, are doubled: so they stay different.
            visible.extend(std::iter::repeat_n('\\', backslashes));
        }
        backslashes = if character == '\\' {
            backslashes + 1
        } else {
            0
        };
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
    fn what_cannot_be_seen_is_escaped() {
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
        let mut writer = LineWriter::default();
        writer.text(2, "says", "one");
        writer.text(2, "says", "");
        writer.text(2, "says", "one\n\ntwo\n");
        assert_eq!(
            writer.finish().text,
            "  says: one\n  says:\n  says:\n    one\n\n    two\n\n"
        );
    }

    #[test]
    fn what_is_truncated_leaves_its_hash() {
        let long = |last: char| {
            let mut writer = LineWriter::default();
            writer.text(
                0,
                "says",
                &(String::from_utf8(vec![b'a'; MAX_ITEM + 9]).unwrap() + &last.to_string()),
            );
            writer.finish().text
        };
        assert!(long('b').len() < MAX_ITEM + 100 && long('b').contains("… (10 more bytes, hash "));
        assert_ne!(long('b'), long('c'));
    }
}

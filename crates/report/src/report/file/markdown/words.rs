//! Pieces of Markdown. The text of an agent is in a code span or a code block, where Markdown reads no links, images, mentions,
//! tables and HTML, and cannot leave it; in a message also as words and numbers, in which Markdown reads nothing.

use std::fmt::Write as _;

use ananke_base::text::{escape, truncate};
use ananke_trace::process::in_one_line;

/// The most bytes of a name in a row, and of a message.
pub(super) const NAME: usize = 300;

/// The signs of plain words, in addition to letters, digits and spaces.
const PLAIN: &str = ",.;:'\"()?/%-≠→…";

/// The texts that readers of Markdown turn into links, although all of its signs are plain.
const LINKS: [&str; 2] = ["www.", "://"];

/// `text` in a code span on one line, of about `max` bytes at most: its fence is longer than any row of backticks in it.
pub(in crate::report) fn code(text: &str, max: usize) -> String {
    let text = truncate::bytes(text, max);
    let text = escape::line(&text);
    if text.trim().is_empty() {
        return "(nothing)".to_owned();
    }
    let rows = text.split(|character| character != '`').map(str::len);
    let fence = "`".repeat(rows.max().unwrap_or(0) + 1);
    // A blank at both ends belongs to the span and is not shown.
    let edge = |character: char| matches!(character, '`' | ' ');
    let pad = if text.starts_with(edge) || text.ends_with(edge) {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A message on one line, of about `max` bytes at most: what is between backticks is a code span, and so is every part around it
/// that is more than plain words.
pub(in crate::report) fn message(text: &str, max: usize) -> String {
    let text = in_one_line(text);
    let text = truncate::bytes(&text, max);
    let mut written = String::new();
    let mut rest = &*text;
    while let Some((before, span, after)) = code_span(rest) {
        add_words(&mut written, before);
        add_code(&mut written, span);
        rest = after;
    }
    add_words(&mut written, rest);
    if written.is_empty() {
        code("", max)
    } else {
        written
    }
}

/// The first part between two backticks that has any, with what is before and after it.
fn code_span(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (span, after) = rest.split_once('`')?;
    (!span.trim().is_empty()).then_some((before, span, after))
}

fn add_words(written: &mut String, words: &str) {
    // Letters may be invisible as well.
    let is_plain = escape::line(words) == words
        && words
        .chars()
        .all(|sign| sign == ' ' || sign.is_alphanumeric() || PLAIN.contains(sign))
        && LINKS.iter().all(|link| !words.contains(link))
        // At the beginning of a line, other signs may begin a list.
        && (!written.is_empty() || words.is_empty() || words.starts_with(char::is_alphabetic));
    if is_plain {
        written.push_str(words);
        return;
    }
    let trimmed = words.trim();
    let (before, after) = (words.starts_with(' '), words.ends_with(' '));
    if before && !written.is_empty() {
        written.push(' ');
    }
    add_code(written, trimmed);
    if after {
        written.push(' ');
    }
}

fn add_code(written: &mut String, text: &str) {
    // Two spans without a blank between them would be one.
    if written.ends_with('`') {
        written.push(' ');
    }
    written.push_str(&code(text, usize::MAX));
}

/// A code span in a cell of a table, which a `|` would end even there.
pub(super) fn cell(code: &str) -> String {
    code.replace('|', "\\|")
}

/// `body`, collapsed under a line.
pub(super) fn folded(summary: &str, body: &str) -> String {
    format!(
        "<details><summary>{summary}</summary>\n\n{}\n\n</details>\n\n",
        body.trim_end_matches('\n')
    )
}

/// Rows of Markdown, each a line, and how many did not fit.
#[derive(Debug)]
pub(in crate::report) struct MarkdownRows {
    text: String,
    room: usize,
    pub(in crate::report) count: usize,
    further: usize,
}

impl MarkdownRows {
    /// A list of at most `room` bytes, but for the line that counts the rest.
    pub(in crate::report) fn new(room: usize) -> Self {
        Self {
            text: String::new(),
            room,
            count: 0,
            further: 0,
        }
    }

    /// Adds a row, unless one before it did not fit.
    pub(in crate::report) fn add(&mut self, row: &str) {
        self.count += 1;
        if self.further > 0 || self.text.len() + row.len() + 3 > self.room {
            self.further += 1;
            return;
        }
        self.text.push_str("- ");
        self.text.push_str(row);
        self.text.push('\n');
    }

    /// The list; empty where nothing was added.
    pub(in crate::report) fn text(&self) -> String {
        let mut text = self.text.clone();
        if self.further > 0 {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "- … and {} more", self.further);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_plain_words_and_code() {
        for (text, expected) in [
            (
                "`charge_card` was called with currency \"USD\", expected \"EUR\"",
                "`charge_card` was called with currency \"USD\", expected \"EUR\"",
            ),
            ("no call to `a` `b`", "no call to `a` `b`"),
            ("`a``b`c", "`a` `b`c"),
            ("it said\nhello", "it said hello"),
            (
                "said @everyone of `x` [a](b)",
                "`said @everyone of` `x` `[a](b)`",
            ),
            ("see www.x.com, `a`", "`see www.x.com,` `a`"),
            ("a `https://x`: http://y", "a `https://x` `: http://y`"),
            ("1. one", "`1. one`"),
            ("- one", "`- one`"),
            ("`a` - one", "`a` - one"),
            ("a ` b", "``a ` b``"),
            ("a <b> c", "`a <b> c`"),
            ("` ` x", "`` ` ` x ``"),
            ("a\u{115f}b", "`a\\u{115f}b`"),
            ("", "(nothing)"),
        ] {
            assert_eq!(message(text, 100), expected, "{text}");
        }
        assert_eq!(message("ab `cdef` gh", 6), "``ab `cd… (6 more bytes)``");
    }

    #[test]
    fn a_code_span_holds_everything() {
        for (text, expected) in [
            ("plain", "`plain`"),
            ("a `b` ``c``", "``` a `b` ``c`` ```"),
            ("`", "`` ` ``"),
            (" x", "`  x `"),
            ("a\nb</details>", "`a\\nb</details>`"),
            (" ", "(nothing)"),
            ("", "(nothing)"),
        ] {
            assert_eq!(code(text, 100), expected);
        }
        assert_eq!(cell(&code("a|b", 100)), "`a\\|b`");
        assert_eq!(code("abcdef", 3), "`abc… (3 more bytes)`");
    }
}

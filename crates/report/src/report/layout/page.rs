//! Builds text: indented rows with styled parts, wrapped if there is a width.
//!
//! **Invariant:** every style ends where its line ends, so that a page can be cut between any two lines; a line that is
//! wrapped is no command to a CI server.

use std::borrow::Cow;
use std::fmt::Write as _;

use anstyle::Style;

use ananke_base::text::{ci_commands, columns};

/// The least room that a wrapped line gets, where the page is that wide: a deep indentation gives way.
const LEAST_ROOM: usize = 20;

/// The distance between a terminal's tab stops.
const TAB: usize = 8;

/// Lines of text.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
    /// The most columns of a line; `None`: lines are not wrapped.
    width: Option<usize>,
    /// The column of the next character.
    column: usize,
    /// The column at which a wrapped line continues.
    hang: usize,
    /// Spaces before the next text, if it is on the same line.
    blanks: usize,
}

impl Page {
    /// A page whose lines are wrapped if there is a width.
    pub(crate) fn of_width(width: Option<usize>) -> Self {
        Self {
            width,
            ..Self::default()
        }
    }

    /// The text that was written.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Whether nothing was written.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// `text`, a part of one line, in `style` at the current column.
    pub(crate) fn put(&mut self, style: Style, text: &str) {
        if let Some(width) = self.width {
            return self.wrapped(style, text, width.max(1));
        }
        if text.trim().is_empty() {
            return self.text.push_str(text);
        }
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{style}{text}{style:#}");
    }

    /// `text` in `style` to the end of the line.
    pub(crate) fn line(&mut self, style: Style, text: &str) {
        self.put(style, text);
        self.end();
    }

    /// `text` in `style` as far as this line has room for it, and the end of the line.
    pub(crate) fn rest_of_line(&mut self, style: Style, text: &str) {
        let room = self
            .width
            .map(|width| width.saturating_sub(self.column + self.blanks));
        match room {
            Some(0..LEAST_ROOM) => self.end(),
            Some(room) => self.line(style, &columns::beginning_of(text, room)),
            None => self.line(style, text),
        }
    }

    /// The sign of a list at `column`, in `style`; its text is wrapped next to it.
    pub(crate) fn sign(&mut self, column: usize, style: Style, sign: &str) {
        self.space(column);
        self.put(style, sign);
        self.space(1);
        self.hang();
    }

    /// `text`, a part of one line, as it is.
    pub(crate) fn plain(&mut self, text: &str) {
        self.put(Style::new(), text);
    }

    /// `count` spaces.
    pub(crate) fn space(&mut self, count: usize) {
        match self.width {
            Some(_) => self.blanks += count,
            None => self.text.extend(std::iter::repeat_n(' ', count)),
        }
    }

    /// From here on, wrapped lines begin at the current column.
    pub(crate) fn hang(&mut self) {
        self.hang_at(self.column + self.blanks);
    }

    /// From here on, wrapped lines begin at this column.
    pub(crate) fn hang_at(&mut self, column: usize) {
        self.hang = column;
    }

    /// The end of the line.
    pub(crate) fn end(&mut self) {
        self.text.push('\n');
        (self.column, self.hang, self.blanks) = (0, 0, 0);
    }

    /// Whole lines that are laid out already, where a line of the page begins.
    pub(crate) fn lines(&mut self, lines: &str) {
        self.text.push_str(lines);
    }

    /// `text` from the current column, its further lines beginning at `column`; empty ones stay empty.
    pub(crate) fn block(&mut self, column: usize, style: Style, text: &str) {
        for (number, line) in text.trim_end_matches('\n').split('\n').enumerate() {
            if number > 0 {
                self.end();
                if line.is_empty() {
                    continue;
                }
                self.space(column);
            }
            self.hang();
            self.put(style, line);
        }
    }

    /// Writes the words of `text`, in as many lines as they need.
    fn wrapped(&mut self, style: Style, text: &str, width: usize) {
        let mut is_open = false;
        let mut rest = text;
        while !rest.is_empty() {
            let word = rest.find([' ', '\t']).unwrap_or(rest.len());
            if word == 0 {
                let at = self.column + self.blanks;
                self.blanks += if rest.starts_with('\t') {
                    TAB - at % TAB
                } else {
                    1
                };
                rest = &rest[1..];
                continue;
            }
            let (word, behind) = rest.split_at(word + unit(&rest[..word], &rest[word..]));
            rest = behind;
            self.word(style, &mut is_open, word, width);
        }
        if is_open {
            let _ = write!(self.text, "{style:#}");
        }
    }

    /// One word: on the next line where this one has no room for it, and in pieces where no line has.
    fn word(&mut self, style: Style, is_open: &mut bool, mut word: &str, width: usize) {
        let deepest = width.saturating_sub(LEAST_ROOM);
        let hang = self.hang.min(deepest);
        loop {
            if self.column == 0 {
                self.blanks = self.blanks.min(deepest);
            }
            let room = width.saturating_sub(self.column + self.blanks);
            let needed = columns::width(word);
            let (here, below) = if needed <= room {
                (word, "")
            } else if self.column == 0 {
                piece(word, room)
            } else if needed <= width - hang || room < LEAST_ROOM {
                ("", word)
            } else {
                piece(word, room)
            };
            if !here.is_empty() {
                self.text.extend(std::iter::repeat_n(' ', self.blanks));
                if !std::mem::replace(is_open, true) {
                    let _ = write!(self.text, "{style}");
                }
                let here = if self.column == 0 {
                    ci_commands::escape(here)
                } else {
                    Cow::Borrowed(here)
                };
                self.text.push_str(&here);
                self.column += self.blanks + columns::width(&here);
                self.blanks = 0;
            }
            if below.is_empty() {
                return;
            }
            if std::mem::take(is_open) {
                let _ = write!(self.text, "{style:#}");
            }
            self.text.push('\n');
            (self.column, self.blanks, word) = (0, hang, below);
        }
    }
}

/// The units of time that stay on the line of their number.
const UNITS: &[&str] = &["ms", "s", "min", "h"];

/// The number of bytes of `behind` that are the unit of the number at the end of `word`, with the space between them.
fn unit(word: &str, behind: &str) -> usize {
    let Some(next) = behind
        .strip_prefix(' ')
        .filter(|_| word.ends_with(|last: char| last.is_ascii_digit()))
    else {
        return 0;
    };
    let next = next.split([' ', '\t']).next().unwrap_or_default();
    let is_unit = UNITS.contains(&next.trim_end_matches([',', '.', ')', ':', ';']));
    if is_unit { 1 + next.len() } else { 0 }
}

/// As much of `word` as `room` holds, and the rest, which does not begin with the colons of an id: they would be an order.
fn piece(word: &str, room: usize) -> (&str, &str) {
    let (here, below) = columns::piece(word, room);
    match here.char_indices().next_back() {
        Some((at, _)) if at > 0 && below.starts_with("::") => word.split_at(at),
        _ => (here, below),
    }
}

#[cfg(test)]
mod tests {
    use anstyle::AnsiColor;

    use super::*;

    /// A row with a label, wrapped at `width`.
    fn row(width: usize, text: &str) -> String {
        let mut page = Page::of_width(Some(width));
        page.space(4);
        page.plain("label ");
        page.block(10, Style::new(), text);
        page.end();
        page.into_text()
    }

    #[test]
    fn wraps_at_words_below_where_the_text_began() {
        for (width, text, expected) in [
            (40, "fits", "    label fits\n"),
            (
                40,
                "some words that are too many",
                "    label some words that are too many\n",
            ),
            (
                37,
                "some words that are too many",
                "    label some words that are too\n          many\n",
            ),
            (40, "two\n\n  lines", "    label two\n\n            lines\n"),
            (40, "a\ttab", "    label a     tab\n"),
            (
                40,
                &"x".repeat(40),
                &format!(
                    "    label {}\n          {}\n",
                    "x".repeat(30),
                    "x".repeat(10)
                ),
            ),
            (
                40,
                &"旅".repeat(16),
                &format!("    label {}\n          {}\n", "旅".repeat(15), "旅"),
            ),
            (20, "words stay whole", "label words stay\nwhole\n"),
            (
                43,
                "a call that took 30 ms, at most 5 s",
                "    label a call that took 30 ms, at most\n          5 s\n",
            ),
            (
                31,
                "a call that took 30 ms",
                "    label a call that took\n          30 ms\n",
            ),
            (1, "ab", "l\na\nb\ne\nl\na\nb\n"),
        ] {
            assert_eq!(row(width, text), expected, "{width} {text}");
        }
    }

    #[test]
    fn a_long_word_begins_below_rather_than_with_its_first_letters() {
        let mut page = Page::of_width(Some(40));
        page.put(Style::new(), "a label of some length");
        page.space(1);
        page.put(Style::new(), &"x".repeat(50));
        page.end();
        let expected = format!(
            "a label of some length\n{}\n{}\n",
            "x".repeat(40),
            "x".repeat(10)
        );
        assert_eq!(page.into_text(), expected);
    }

    #[test]
    fn no_order_begins_a_line_that_was_wrapped() {
        assert_eq!(
            row(30, &format!("{}::id", "x".repeat(20))),
            format!("    label {}\n          x::id\n", "x".repeat(19))
        );
        assert_eq!(
            row(30, "an agent says ::error::x"),
            "    label an agent says\n          \\u{3a}:error::x\n"
        );
    }

    #[test]
    fn a_style_ends_with_its_line() {
        let mut page = Page::of_width(Some(8));
        page.put(AnsiColor::Red.on_default(), "red letters");
        page.plain(" end");
        let text = page.into_text();
        assert_eq!(
            text,
            "\u{1b}[31mred\u{1b}[0m\n\u{1b}[31mletters\u{1b}[0m\nend"
        );
    }

    #[test]
    fn no_line_is_wider_than_the_page() {
        for width in 1..60 {
            let text = row(
                width,
                "Zażółć 旅行者が東京から 👩‍🚀 https://example.org/a/very/long/address gęślą",
            );
            let widest = text.lines().map(columns::width).max();
            // A wide character alone is wider than the narrowest page.
            assert!(widest <= Some(width.max(2)), "{width}: {text}");
        }
    }
}

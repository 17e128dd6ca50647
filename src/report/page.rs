//! Text in the making: indented rows with styled parts.

use std::fmt::Write as _;

use anstyle::Style;

/// Lines of text. Every style ends where its line ends, so that a page can be cut between any two.
#[derive(Debug, Default)]
pub(super) struct Page(pub(super) String);

impl Page {
    /// `text` in `style`, where the page stands.
    pub(super) fn put(&mut self, style: Style, text: &str) {
        if text.trim().is_empty() {
            return self.plain(text);
        }
        // Writing to a String cannot fail.
        let _ = write!(self.0, "{style}{text}{style:#}");
    }

    /// `text` as it is.
    pub(super) fn plain(&mut self, text: &str) {
        self.0.push_str(text);
    }

    /// `count` blanks.
    pub(super) fn space(&mut self, count: usize) {
        self.0.extend(std::iter::repeat_n(' ', count));
    }

    /// The end of the line.
    pub(super) fn end(&mut self) {
        self.0.push('\n');
    }

    /// `text` from where the page stands, its further lines beginning at `column`; empty ones stay empty.
    pub(super) fn block(&mut self, column: usize, style: Style, text: &str) {
        for (number, line) in text.trim_end_matches('\n').split('\n').enumerate() {
            if number > 0 {
                self.end();
                if line.is_empty() {
                    continue;
                }
                self.space(column);
            }
            self.put(style, line);
        }
    }
}

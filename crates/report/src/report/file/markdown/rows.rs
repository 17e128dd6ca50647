//! A list of which as much is kept as there is room for.

use std::fmt::Write as _;

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

//! The last lines of a terminal, drawn anew again and again.
//!
//! **Invariant:** a drawing is one write, after which the terminal is as it was but for its last lines: a program that is
//! killed leaves no cursor hidden.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::Style;

use crate::context::TerminalSize;
use crate::diagnostic::columns;

/// Text on one line, in parts of a style each.
#[derive(Clone, Debug, Default)]
pub(super) struct Row(pub(super) Vec<(Style, String)>);

impl Row {
    /// How many columns it takes.
    pub(super) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| columns::width(text)).sum()
    }
}

/// What is drawn at the end of a terminal.
pub(super) struct Canvas {
    out: Box<dyn Write + Send>,
    /// How wide each line is that is there now.
    drawn: Vec<usize>,
    /// How wide the terminal was then, as far as that is known.
    size: Option<TerminalSize>,
}

impl Canvas {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out, drawn: Vec::new(), size: None }
    }

    /// Draws `rows` over those that are there. A terminal that takes nothing any more shows nothing.
    pub(super) fn draw(&mut self, rows: &[Row], size: Option<TerminalSize>) {
        if rows.is_empty() && self.drawn.is_empty() {
            return;
        }
        // Lines that are wider than they were to be are cut by the terminal, which must not wrap them.
        let mut drawing = format!("\x1b[?7l{}", self.back(size));
        for (number, Row(parts)) in rows.iter().enumerate() {
            drawing.push_str(if number == 0 { "" } else { "\r\n" });
            for (style, text) in parts {
                // Writing to a String cannot fail.
                let _ = write!(drawing, "{style}{text}{style:#}");
            }
            drawing.push_str("\x1b[K");
        }
        drawing.push_str("\x1b[J\x1b[?7h");
        let _ = self.out.write_all(drawing.as_bytes()).and_then(|()| self.out.flush());
        self.drawn = rows.iter().map(Row::width).collect();
        self.size = size;
    }

    /// Prints whole lines where the drawing is, which is gone then.
    pub(super) fn print(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.drawn.is_empty() {
            let erased = format!("{}\x1b[J", self.back(self.size));
            self.drawn.clear();
            self.out.write_all(erased.as_bytes())?;
        }
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// The way back to where the drawing begins. Terminals that became narrower have wrapped its lines meanwhile.
    fn back(&self, size: Option<TerminalSize>) -> String {
        let columns = size.map_or(usize::MAX, |size| size.columns.max(1));
        let lines: usize = self.drawn.iter().map(|width| width.div_ceil(columns).max(1)).sum();
        // No further than the first line of the terminal: what has left it is out of reach.
        let lines = size.map_or(lines, |size| lines.min(size.rows));
        match lines {
            0 => String::new(),
            1 => "\r".to_owned(),
            lines => format!("\r\x1b[{}A", lines - 1),
        }
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        self.draw(&[], self.size);
    }
}

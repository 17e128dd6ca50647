//! The last lines of a terminal, redrawn at intervals.
//!
//! **Invariant:** a drawing is one write, after which the terminal is as it was but for its last lines: a program that is
//! killed leaves no cursor hidden.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::Style;

use ananke_base::context::TerminalSize;
use ananke_base::text::columns;

/// Text on one line, in parts of a style each.
#[derive(Clone, Debug, Default)]
pub(crate) struct StyledLine(pub(crate) Vec<(Style, String)>);

impl StyledLine {
    /// The number of columns that it takes.
    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| columns::width(text)).sum()
    }

    /// As much of it as `columns` hold.
    pub(crate) fn cut(mut self, columns: usize) -> Self {
        let mut left = columns;
        for (_, text) in &mut self.0 {
            if columns::width(text) > left {
                *text = columns::beginning_of(text, left);
            }
            left -= columns::width(text);
        }
        self
    }
}

/// The area that is drawn at the end of a terminal.
pub(crate) struct Area {
    out: Box<dyn Write + Send>,
    /// The width of each line that is drawn now.
    drawn: Vec<usize>,
    /// The size of the terminal at that time, if known.
    size: Option<TerminalSize>,
}

impl Area {
    pub(crate) fn new(out: Box<dyn Write + Send>) -> Self {
        Self {
            out,
            drawn: Vec::new(),
            size: None,
        }
    }

    /// Draws `rows` over those that are there. A terminal that takes nothing any more shows nothing.
    pub(crate) fn draw(&mut self, rows: &[StyledLine], size: Option<TerminalSize>) {
        if rows.is_empty() {
            let _ = self.erase(size).and_then(|()| self.out.flush());
            return;
        }
        // Lines that are wider than they were to be are cut by the terminal, which must not wrap them.
        let mut drawing = format!("\x1b[?7l{}", up(self.lines(size)));
        for (number, StyledLine(parts)) in rows.iter().enumerate() {
            drawing.push_str(if number == 0 { "" } else { "\r\n" });
            for (style, text) in parts {
                // Writing to a String cannot fail.
                let _ = write!(drawing, "{style}{text}{style:#}");
            }
            drawing.push_str("\x1b[K");
        }
        drawing.push_str("\x1b[J\x1b[?7h");
        let _ = self
            .out
            .write_all(drawing.as_bytes())
            .and_then(|()| self.out.flush());
        self.drawn = rows.iter().map(StyledLine::width).collect();
        self.size = size;
    }

    /// Prints whole lines where the drawing is, which is gone then.
    pub(crate) fn print(&mut self, bytes: &[u8], size: Option<TerminalSize>) -> io::Result<()> {
        self.erase(size)?;
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    /// Erases the drawing line by line: some terminals keep a screen that is erased from its first line to its last.
    fn erase(&mut self, size: Option<TerminalSize>) -> io::Result<()> {
        let lines = self.lines(size);
        if lines == 0 {
            return Ok(());
        }
        let further = "\x1b[1B\x1b[K".repeat(lines - 1);
        let erased = format!(
            "{back}\x1b[K{further}{again}",
            back = up(lines),
            again = up(lines)
        );
        self.drawn.clear();
        self.out.write_all(erased.as_bytes())
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// The number of lines that the drawing takes now: terminals that became narrower have wrapped its lines meanwhile.
    fn lines(&self, size: Option<TerminalSize>) -> usize {
        let columns = size.map_or(usize::MAX, |size| size.columns.max(1));
        let lines: usize = self
            .drawn
            .iter()
            .map(|width| width.div_ceil(columns).max(1))
            .sum();
        // No further than the first line of the terminal: what has left it is out of reach.
        size.map_or(lines, |size| lines.min(size.rows))
    }
}

/// The way from the last of so many lines to the beginning of the first.
fn up(lines: usize) -> String {
    match lines {
        0 => String::new(),
        1 => "\r".to_owned(),
        lines => format!("\r\x1b[{}A", lines - 1),
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        self.draw(&[], self.size);
    }
}

//! A terminal in memory: a program's output goes in, what a person sees comes out. It knows the few commands that the
//! program uses, wraps and scrolls as terminals do, and fails on any other command.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use unicode_width::UnicodeWidthChar as _;

/// A terminal; its clones are the same one.
#[derive(Clone)]
pub(crate) struct Screen(Arc<Mutex<Grid>>);

struct Grid {
    columns: usize,
    height: usize,
    /// Everything that was printed, also what has left the screen. A wide character is followed by an empty cell.
    rows: Vec<Vec<String>>,
    row: usize,
    column: usize,
    wraps: bool,
    /// The beginning of a character or a command whose end has not come yet.
    begun: Vec<u8>,
}

impl Screen {
    pub(crate) fn new(columns: usize, height: usize) -> Self {
        let grid = Grid {
            columns,
            height,
            rows: vec![Vec::new()],
            row: 0,
            column: 0,
            wraps: true,
            begun: Vec::new(),
        };
        Self(Arc::new(Mutex::new(grid)))
    }

    /// Everything that was printed and is still there, one line each, without spaces at the ends.
    pub(crate) fn text(&self) -> String {
        let grid = self.grid();
        grid.rows
            .iter()
            .map(|row| row.concat().trim_end().to_owned() + "\n")
            .collect::<String>()
            .trim_end()
            .to_owned()
    }

    /// What is visible now.
    pub(crate) fn seen(&self) -> String {
        let grid = self.grid();
        let top = grid.top();
        let seen: Vec<String> = grid.rows[top..]
            .iter()
            .map(|row| row.concat().trim_end().to_owned())
            .collect();
        seen.join("\n")
    }

    /// Whether the terminal is as it was before: it wraps, and no command is unfinished.
    pub(crate) fn is_itself(&self) -> bool {
        let grid = self.grid();
        grid.wraps && grid.begun.is_empty()
    }

    /// Makes the terminal narrower; existing lines continue in the lines below.
    pub(crate) fn narrow(&self, columns: usize) {
        let mut grid = self.grid();
        let rows = std::mem::take(&mut grid.rows);
        let chunks = |row: Vec<String>| -> Vec<Vec<String>> {
            if row.is_empty() {
                vec![row]
            } else {
                row.chunks(columns).map(<[String]>::to_vec).collect()
            }
        };
        grid.rows = rows.into_iter().flat_map(chunks).collect();
        grid.columns = columns;
        grid.row = grid.rows.len() - 1;
        grid.column = grid.rows[grid.row].len();
    }

    fn grid(&self) -> MutexGuard<'_, Grid> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut grid = self.grid();
        for byte in bytes {
            grid.begun.push(*byte);
            let Ok(text) = std::str::from_utf8(&grid.begun) else {
                continue;
            };
            let is_order = text.starts_with('\u{1b}');
            let is_whole = !is_order
                || (text.len() > 2 && text.ends_with(|end: char| end.is_ascii_alphabetic()));
            if is_whole {
                let text = text.to_owned();
                grid.begun.clear();
                if is_order {
                    grid.order(&text[1..]);
                } else {
                    text.chars().for_each(|sign| grid.put(sign));
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Grid {
    /// The first visible line.
    fn top(&self) -> usize {
        self.rows.len().saturating_sub(self.height)
    }

    fn order(&mut self, order: &str) {
        let number = |order: &str| order[1..order.len() - 1].parse::<usize>().unwrap_or(1);
        match order {
            "[?7l" => self.wraps = false,
            "[?7h" => self.wraps = true,
            "[K" => self.rows[self.row].truncate(self.column),
            "[J" => {
                self.rows[self.row].truncate(self.column);
                self.rows.truncate(self.row + 1);
            }
            "[H" => (self.row, self.column) = (self.top(), 0),
            "[2J" => {
                let top = self.top();
                self.rows[top..].iter_mut().for_each(Vec::clear);
            }
            _ if order.ends_with('A') => {
                self.row = self.row.saturating_sub(number(order)).max(self.top());
            }
            _ if order.ends_with('B') => {
                self.row = (self.row + number(order)).min(self.rows.len() - 1);
            }
            _ if order.ends_with('C') => self.column += number(order),
            _ if order.ends_with('D') => self.column = self.column.saturating_sub(number(order)),
            // What comes until the second is shown at once.
            "[?2026h" | "[?2026l" => {}
            _ if order.ends_with('m') => {}
            _ => panic!("an order that no report gives: {order:?}"),
        }
    }

    fn put(&mut self, sign: char) {
        match sign {
            '\r' => self.column = 0,
            '\n' => self.next_row(),
            // The system shows so that a character was deleted.
            '\u{8}' => self.column = self.column.saturating_sub(1),
            _ => self.print(sign),
        }
    }

    fn next_row(&mut self) {
        (self.row, self.column) = (self.row + 1, 0);
        if self.row == self.rows.len() {
            self.rows.push(Vec::new());
        }
    }

    fn print(&mut self, sign: char) {
        assert!(
            !sign.is_control(),
            "a control character reached the terminal: {sign:?}"
        );
        let width = sign.width().unwrap_or(1);
        if width == 0 {
            let last = self.rows[self.row]
                .iter_mut()
                .take(self.column)
                .rfind(|cell| !cell.is_empty());
            return last.into_iter().for_each(|cell| cell.push(sign));
        }
        if self.column + width > self.columns {
            if self.wraps {
                self.next_row();
            } else {
                self.column = self.columns.saturating_sub(width);
            }
        }
        let (column, row) = (self.column, self.row);
        let row = &mut self.rows[row];
        row.resize(row.len().max(column + width), " ".to_owned());
        row[column] = sign.to_string();
        row[column + 1..column + width].fill(String::new());
        self.column += width;
    }
}

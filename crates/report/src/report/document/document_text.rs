//! The frame of a document for people: a headline, sections with entries and tables, remarks, and the conclusion as the last
//! line.
//!
//! **Invariant:** what is written is escaped, bounded and on one line, whatever it contains.

use anstyle::Style;

use crate::report::layout::{Page, Palette, mark};
use ananke_base::context::Colouring;
use ananke_base::text::{columns, escape, grouped, truncate};
use ananke_trace::outcome::Status;

/// The number of entries of a section and rows of a table that are listed: more is for programs.
const MOST: usize = 100;

/// The most bytes of one text.
const LONGEST: usize = 400;

/// The most bytes of one cell of a table.
const LONGEST_CELL: usize = 60;

/// The text of a document, as far as it is written.
pub struct DocumentText {
    page: Page,
    palette: Palette,
    width: Option<usize>,
    /// Whether there is a part already, after which comes an empty line.
    has_part: bool,
}

/// The sign before an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum EntryMark {
    /// It is as it should be.
    Good,
    /// It is wrong.
    Bad,
    /// It may be wrong.
    Doubtful,
    /// It is different.
    Changed,
    /// There is nothing to say of it.
    None,
    /// It is a test that ended so.
    Test(Status),
}

impl EntryMark {
    /// The sign itself.
    pub(in crate::report) fn sign(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Bad => "✗",
            Self::Doubtful => "!",
            Self::Changed => "~",
            Self::None => "-",
            Self::Test(status) => mark(status),
        }
    }

    fn style(self, palette: &Palette) -> Style {
        match self {
            Self::Good => palette.passed,
            Self::Bad => palette.failed,
            Self::Doubtful | Self::Changed | Self::None => palette.warning,
            Self::Test(status) => palette.of(status),
        }
    }
}

impl DocumentText {
    /// A text that is wrapped if there is a width.
    pub fn new(colour: Colouring, width: Option<usize>) -> Self {
        Self {
            page: Page::of_width(width),
            palette: Palette::new(colour),
            width,
            has_part: false,
        }
    }

    /// The text that is written so far and was not taken before; it ends with a whole line.
    pub fn take(&mut self) -> String {
        std::mem::replace(&mut self.page, Page::of_width(self.width)).into_text()
    }

    /// Ends the parts before: the next one comes after an empty line.
    pub(in crate::report) fn part(&mut self) {
        if self.has_part {
            self.page.end();
        }
        self.has_part = true;
    }

    /// The line that says what the document is about, or the heading of a section.
    pub(in crate::report) fn heading(&mut self, words: &str) {
        self.part();
        self.page.line(self.palette.strong, &shown(words, LONGEST));
    }

    /// A section of entries; nothing if there are none. `write` writes one.
    pub(in crate::report) fn entries<T>(
        &mut self,
        heading: &str,
        entries: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        let mut entries = entries.into_iter().peekable();
        if entries.peek().is_none() {
            return;
        }
        self.heading(heading);
        entries
            .by_ref()
            .take(MOST)
            .for_each(|entry| write(self, entry));
        self.further(entries.count());
    }

    /// An entry: what it is, and its place or what else is known of it.
    pub(in crate::report) fn entry(&mut self, sign: EntryMark, name: &str, note: &str) {
        self.marked(2, sign, name, note);
    }

    /// A finding of the entry before.
    #[cfg(feature = "json-schema")]
    pub(in crate::report) fn finding(&mut self, sign: EntryMark, name: &str, message: &str) {
        self.marked(6, sign, &format!("{name}:"), message);
    }

    fn marked(&mut self, column: usize, sign: EntryMark, name: &str, note: &str) {
        let Self { page, palette, .. } = self;
        page.sign(column, sign.style(palette), sign.sign());
        page.plain(&shown(name, LONGEST));
        if !note.is_empty() {
            page.space(if column > 2 { 1 } else { 2 });
            let style = if column > 2 {
                Style::new()
            } else {
                palette.faint
            };
            page.put(style, &shown(note, LONGEST));
        }
        page.end();
    }

    /// A line about the entry before.
    pub(in crate::report) fn line(&mut self, words: &str) {
        self.indented(6, words);
    }

    /// A line about the finding before.
    #[cfg(feature = "json-schema")]
    pub(in crate::report) fn line_of_finding(&mut self, words: &str) {
        self.indented(8, words);
    }

    fn indented(&mut self, column: usize, words: &str) {
        self.page.space(column);
        self.page.hang();
        self.page.plain(&shown(words, LONGEST));
        self.page.end();
    }

    /// A difference of the entry before: `word  was`, and `→  is` on the next line.
    pub(in crate::report) fn difference(&mut self, word: &str, was: &str, is: &str) {
        let Self { page, palette, .. } = self;
        for (word, style, text) in [(word, palette.faint, was), ("→", palette.name, is)] {
            page.space(6);
            page.put(palette.faint, &format!("{word:>6}"));
            page.space(2);
            page.hang();
            page.line(style, &shown(text, LONGEST));
        }
    }

    /// Lines of a file, as they are written there, about the entry before.
    pub(in crate::report) fn lines_of_file(&mut self, lines: &str) {
        for line in lines.lines() {
            self.page.space(8);
            self.page.hang();
            self.page.line(self.palette.name, &escape::line(line));
        }
    }

    /// A table with the names of its columns; nothing if it has no rows.
    pub(in crate::report) fn table<const N: usize>(
        &mut self,
        columns: [&str; N],
        rows: impl IntoIterator<Item = [String; N]>,
    ) {
        let mut rows = rows.into_iter().peekable();
        if rows.peek().is_none() {
            return;
        }
        let listed: Vec<[String; N]> = rows
            .by_ref()
            .take(MOST)
            .map(|row| row.map(|cell| shown(&cell, LONGEST_CELL)))
            .collect();
        let mut widths = columns.map(columns::width);
        for row in &listed {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(columns::width(cell));
            }
        }
        self.part();
        self.row(self.palette.strong, &columns.map(str::to_owned), &widths);
        for row in &listed {
            self.row(Style::new(), row, &widths);
        }
        self.further(rows.count());
    }

    fn row(&mut self, style: Style, cells: &[String], widths: &[usize]) {
        self.page.space(2);
        for (number, (cell, width)) in cells.iter().zip(widths).enumerate() {
            self.page.put(style, cell);
            if number + 1 < cells.len() {
                self.page.space(width - columns::width(cell) + 2);
            }
        }
        self.page.end();
    }

    fn further(&mut self, count: usize) {
        if count > 0 {
            let more = format!("  … and {count} more; `--json` lists all");
            self.page.line(self.palette.faint, &more);
        }
    }

    /// Remarks about the whole, a line each.
    pub(in crate::report) fn remarks(&mut self, remarks: impl IntoIterator<Item = String>) {
        let mut remarks = remarks.into_iter().peekable();
        if remarks.peek().is_some() {
            self.part();
        }
        for remark in remarks {
            self.page.line(self.palette.faint, &shown(&remark, LONGEST));
        }
    }

    /// The last line: whether what `name` found is good enough, and why.
    pub(in crate::report) fn conclude(&mut self, name: &str, conclusion: &Conclusion) {
        let sign = match conclusion.exit_code {
            0 => EntryMark::Good,
            _ => EntryMark::Bad,
        };
        let style = sign.style(&self.palette);
        self.page.sign(0, style, sign.sign());
        let words = format!("{name}: {}", shown(&conclusion.reason, LONGEST));
        self.page.line(style, &words);
    }
}

/// A text from outside on one line, harmless and bounded.
fn shown(text: &str, most: usize) -> String {
    escape::line(&truncate::bytes(text, most)).into_owned()
}

/// `1 tool`, `2 tools`.
pub(in crate::report) fn counted(count: usize, noun: &str) -> String {
    format!(
        "{} {noun}{}",
        grouped(count),
        if count == 1 { "" } else { "s" }
    )
}

/// The exit code that follows from what was found, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The exit code.
    pub exit_code: u8,
    /// The reason, for people.
    pub reason: String,
}

impl Conclusion {
    /// The exit code 1 if something is `wrong`, with all of that as the reason; else 0 with what is `right`.
    pub(in crate::report) fn of(wrong: &[String], right: String) -> Self {
        Self {
            exit_code: u8::from(!wrong.is_empty()),
            reason: if wrong.is_empty() {
                right
            } else {
                wrong.join("; ")
            },
        }
    }
}

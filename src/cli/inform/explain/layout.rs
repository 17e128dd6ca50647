//! The layout of explanations: colours, columns, wrapped sentences. Without colours the text says the same.

use std::fmt::Write as _;

use ananke::context::Colouring;
use ananke::redact::Redactor;
use ananke::text::{columns, escape};
use anstyle::{AnsiColor, Style};

/// Longer words have a line of their own, and their origin is on the next.
const WIDEST: usize = 60;

/// The width of the column of levels, with what divides the columns.
const LEVEL: usize = 10;

/// The width of sentences.
const SENTENCE: usize = 100;

/// The style of each kind of text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Colours {
    pub(super) strong: Style,
    pub(super) heading: Style,
    pub(super) faint: Style,
    pub(super) wrong: Style,
    pub(super) right: Style,
}

impl Colours {
    pub(super) fn new(colour: Colouring) -> Self {
        if colour == Colouring::Plain {
            return Self::default();
        }
        Self {
            strong: Style::new().bold(),
            heading: AnsiColor::Cyan.on_default(),
            faint: Style::new().dimmed(),
            wrong: AnsiColor::Red.on_default().bold(),
            right: AnsiColor::Green.on_default().bold(),
        }
    }
}

/// `text` in a style; text of the user's is made harmless for a terminal.
pub(super) fn styled(style: Style, text: &str) -> String {
    format!("{style}{}{style:#}", escape::line(text))
}

/// Lines of a table, aligned when all of them are known.
#[derive(Debug, Default)]
pub(super) struct Table {
    redactor: Redactor,
    lines: Vec<LayoutLine>,
}

/// The emphasis of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Emphasis {
    Normal,
    /// It is about something that does not apply.
    Faint,
}

impl Emphasis {
    fn style(self, colours: Colours) -> Style {
        match self {
            Self::Normal => Style::new(),
            Self::Faint => colours.faint,
        }
    }
}

#[derive(Debug)]
enum LayoutLine {
    /// A line of its own, written out.
    Whole(String),
    /// Words at an indentation, and the level and the place where the rule is defined.
    Row {
        indent: usize,
        words: String,
        emphasis: Emphasis,
        level: &'static str,
        place: String,
    },
}

impl Table {
    /// An empty table whose words `redactor` masks.
    pub(super) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            lines: Vec::new(),
        }
    }

    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.lines.push(LayoutLine::Whole(text.into()));
    }

    pub(super) fn row(
        &mut self,
        indent: usize,
        words: &str,
        emphasis: Emphasis,
        level: &'static str,
        place: &str,
    ) {
        let words = escape::line(&self.redactor.text(words)).into_owned();
        self.lines.push(LayoutLine::Row {
            indent,
            words,
            emphasis,
            level,
            place: escape::line(place).into_owned(),
        });
    }

    /// Writes the table out: the words in one column, the levels and places in two more. If it is wider than the terminal,
    /// words are wrapped, and levels and places are on lines of their own.
    pub(super) fn text(&self, colours: Colours, terminal: Option<usize>) -> String {
        let widths = self.lines.iter().filter_map(|line| match line {
            LayoutLine::Whole(_) => None,
            LayoutLine::Row { indent, words, .. } => Some(indent + columns::width(words)),
        });
        let width = widths
            .filter(|width| *width <= WIDEST)
            .max()
            .unwrap_or_default();
        let beside = self.lines.iter().filter_map(|line| match line {
            LayoutLine::Whole(_) => None,
            LayoutLine::Row { place, .. } => Some(LEVEL + columns::width(place)),
        });
        let beside = beside.max().unwrap_or_default();
        let narrow = terminal.filter(|terminal| width + beside > *terminal);
        let pale = colours.faint;
        let mut text = String::new();
        // Writing to a String cannot fail.
        for line in &self.lines {
            let (indent, words, style, level, place) = match line {
                LayoutLine::Whole(line) => {
                    let _ = writeln!(text, "{line}");
                    continue;
                }
                LayoutLine::Row {
                    indent,
                    words,
                    emphasis,
                    level,
                    place,
                } => (*indent, words, emphasis.style(colours), level, place),
            };
            if let Some(terminal) = narrow {
                for line in columns::wrapped(words, terminal.saturating_sub(indent)) {
                    let _ = writeln!(text, "{:indent$}{style}{line}{style:#}", "");
                }
                let _ = writeln!(text, "{:indent$}  {pale}{level}  {place}{pale:#}", "");
                continue;
            }
            let used = indent + columns::width(words);
            let _ = write!(text, "{:indent$}{style}{words}{style:#}", "");
            if used > WIDEST {
                let _ = writeln!(text);
            }
            let gap = if used > WIDEST { width } else { width - used };
            let _ = writeln!(text, "{:gap$}  {pale}{level:<6}  {place}{pale:#}", "");
        }
        text
    }
}

/// Sentences in lines that are pleasant to read, wherever their source ends its own.
pub(super) fn wrapped(sentence: &str, terminal: Option<usize>) -> String {
    columns::wrapped(
        &sentence.replace('\n', " "),
        terminal.map_or(SENTENCE, |terminal| terminal.min(SENTENCE)),
    )
    .join("\n")
        + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_wider_than_the_terminal_stands_in_lines_of_its_own() {
        let mut table = Table::default();
        table.line("turn 1 of 1");
        table.row(
            4,
            "no call of 旅行 in the turn",
            Emphasis::Normal,
            "turn",
            "specs/a.test.yaml:7",
        );
        let aligned = "turn 1 of 1\n    no call of 旅行 in the turn  turn    specs/a.test.yaml:7\n";
        let narrow = "turn 1 of 1\n    no call of\n    旅行 in the\n    turn\n      turn  specs/a.test.yaml:7\n";
        for (terminal, expected) in [(None, aligned), (Some(100), aligned), (Some(15), narrow)] {
            assert_eq!(
                table.text(Colours::default(), terminal),
                expected,
                "{terminal:?}"
            );
        }
        assert_eq!(
            wrapped("a sentence of five words", Some(12)),
            "a sentence\nof five\nwords\n"
        );
        assert_eq!(
            wrapped("two lines of\nthe source", None),
            "two lines of the source\n"
        );
    }
}

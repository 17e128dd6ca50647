//! A comparison for comments of pull requests: the verdict first, then what weighs most.

use std::fmt::Write as _;

use super::words::{self, SECTIONS, TestDifference};
use crate::compare::{Comparison, TestChange};
use crate::report::file::markdown::{MARKER, MOST, MarkdownRows, code, message};

/// The most bytes of one text.
const LONGEST: usize = 400;

impl Comparison {
    /// The changes, as Markdown that fits into a comment.
    pub fn markdown(&self) -> String {
        let sign = if self.is_regression() { "✗" } else { "✓" };
        let mut head = format!(
            "{MARKER}\n## {sign} {}\n\n{}\n\n",
            self.verdict_in_words(),
            self.changed()
        );
        for (word, side) in self.reports() {
            let _ = writeln!(
                head,
                "- {word} {}: {}",
                code(&side.name, LONGEST),
                words::of_run(side)
            );
        }
        for line in self.agents_time().into_iter().chain(self.spent()) {
            let _ = writeln!(head, "- {line}");
        }
        let mut text = head;
        for (heading, kinds) in SECTIONS {
            // There is always room for the headings of this section and of those after it.
            let room = (MOST - SECTIONS.len() * 100).saturating_sub(text.len());
            let mut rows = MarkdownRows::new(room);
            for change in self.section_of(kinds) {
                rows.add(&row(change));
            }
            if rows.count > 0 {
                let _ = write!(text, "\n### {heading}\n\n{}", rows.text());
            }
        }
        text
    }
}

fn row(change: &TestChange) -> String {
    let note = words::note(change);
    let mut row = format!(
        "{} {}",
        words::mark(change).sign().replace('-', "−"),
        code(change.id(), LONGEST)
    );
    if !note.is_empty() {
        let _ = write!(row, " {note}");
    }
    if let Some(reason) = words::reason(change) {
        let _ = write!(row, "\n  - {}", message(reason, LONGEST));
    }
    if let Some(place) = words::place(change) {
        let _ = write!(row, "\n  - {}", code(&place, LONGEST));
    }
    for TestDifference { word, was, is } in words::differences(change) {
        let _ = write!(
            row,
            "\n  - {word}: {} → {}",
            code(&was, LONGEST),
            code(&is, LONGEST)
        );
    }
    row
}

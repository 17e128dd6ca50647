//! A comparison as a page of its own.
//!
//! **Invariant:** every text goes through [`escaped`] or [`words_of`], so that none is an element, an attribute or a style.

use std::fmt::Write as _;

use super::words::{self, SECTIONS, TestDifference};
use crate::compare::{Comparison, TestChange};
use crate::report::file::html::{Mood, code, escaped, foot, head, words as words_of};

impl Comparison {
    /// The changes, as a page of HTML.
    pub fn html(&self) -> String {
        let mood = if self.is_regression() {
            Mood::Bad
        } else {
            Mood::Good
        };
        let heading = words_of(&self.verdict_in_words());
        let mut page = head("two runs compared", mood, &heading);
        // Writing to a String cannot fail.
        let _ = writeln!(
            page,
            "<p>{}</p>\n<ul class=\"faint\">",
            words_of(&self.changed())
        );
        for (word, side) in self.reports() {
            let _ = writeln!(
                page,
                "<li>{word} {}: {}</li>",
                code(&side.name),
                escaped(&words::of_run(side))
            );
        }
        for line in self.agents_time().into_iter().chain(self.spent()) {
            let _ = writeln!(page, "<li>{}</li>", escaped(&line));
        }
        page.push_str("</ul>\n");
        for (heading, kinds) in SECTIONS {
            let rows: String = self.section_of(kinds).map(row).collect();
            if !rows.is_empty() {
                let count = self.section_of(kinds).count();
                let _ = writeln!(page, "<h2>{heading} ({count})</h2>\n<ul>\n{rows}</ul>");
            }
        }
        page + &foot()
    }
}

fn row(change: &TestChange) -> String {
    let mut row = format!("<li>{} {}", words::mark(change).sign(), code(change.id()));
    let note = words::note(change);
    if !note.is_empty() {
        let _ = write!(row, " <span class=\"faint\">{note}</span>");
    }
    if let Some(reason) = words::reason(change) {
        let _ = write!(row, "<br>{}", words_of(reason));
    }
    if let Some(place) = words::place(change) {
        let _ = write!(row, "<br>{}", code(&place));
    }
    for TestDifference { word, was, is } in words::differences(change) {
        let _ = write!(
            row,
            "<br><span class=\"faint\">{word}</span> {} → {}",
            code(&was),
            code(&is)
        );
    }
    row + "</li>\n"
}

//! Scores and survivors as Markdown, within the size of a comment.

use std::fmt::Write as _;

use super::words::{sum, tables, unnoticed};
use crate::report::file::markdown::{MARKER, MarkdownRows, code, message};
use ananke_trace::outcome::mutation::MutationReport;

/// The most bytes of one text.
const LONGEST: usize = 200;

/// The most bytes of one table or list, so that all fit a comment.
const ROOM: usize = 15_000;

/// The report as Markdown.
pub(super) fn mutation_markdown(report: &MutationReport) -> String {
    // Writing to a String cannot fail.
    let mut page = format!(
        "{MARKER}\n## {} of the changes are noticed\n\n",
        report.total.percent_words()
    );
    let _ = writeln!(page, "{}\n", sum(&report.total));
    for (heading, rows) in tables(report) {
        let _ = writeln!(page, "### By {heading}\n");
        let mut kept = MarkdownRows::new(ROOM);
        for (name, score) in rows {
            let (name, percent) = (code(&name, LONGEST), score.percent_words());
            kept.add(&format!(
                "{percent}: {name}, {} of {} killed",
                score.killed,
                score.counted()
            ));
        }
        let _ = writeln!(page, "{}", kept.text());
    }
    let mut kept = MarkdownRows::new(ROOM);
    if unnoticed(report).next().is_some() {
        page.push_str("### Changes that are not noticed\n\n");
    }
    for (fate, mutant) in unnoticed(report) {
        let (test, change) = (
            code(&mutant.test, LONGEST),
            message(&mutant.change, LONGEST),
        );
        let (operator, severity, turn) = (mutant.operator, mutant.severity, mutant.turn);
        let event = mutant.event;
        kept.add(&format!(
            "{fate}: {operator} ({severity}) in {test}, turn {turn}, event {event}: {change}"
        ));
    }
    page + &kept.text()
}

//! Scores and survivors as a page of its own.
//!
//! **Invariant:** every text of an agent goes through [`code`] or [`words`], so that none is an element, an attribute or a style.

use std::fmt::Write as _;

use super::words::{counts, sum, tables, unnoticed};
use crate::report::file::html::{Mood, code, foot, head, table, words};
use ananke_trace::outcome::mutation::MutationReport;

/// The report as a page of HTML.
pub(super) fn mutation_page(report: &MutationReport) -> String {
    let heading = format!(
        "{} of the changes are noticed",
        report.total.percent_words()
    );
    let mut page = head("changes that rules notice", Mood::Neutral, &heading);
    // Writing to a String cannot fail.
    let _ = writeln!(page, "<p>{}</p>", sum(&report.total));
    for (heading, rows) in tables(report) {
        let rows = rows.iter().map(|(name, score)| {
            let cells = counts(score)
                .map(|(_, count)| format!("<td>{count}</td>"))
                .concat();
            let (name, percent) = (code(name), score.percent_words());
            format!("<th scope=\"row\">{name}</th><td>{percent}</td>{cells}")
        });
        let columns: Vec<&str> = [heading, "score"]
            .into_iter()
            .chain(counts(&report.total).map(|(what, _)| what))
            .collect();
        table(&mut page, &format!("By {heading}"), &columns, rows);
    }
    let rows = unnoticed(report).map(|(fate, mutant)| {
        let (test, change) = (code(&mutant.test), words(&mutant.change));
        let rule = mutant.suggestion.as_ref().map(|rule| {
            let level = rule.level;
            format!("{level}, {}:<pre>{}</pre>", code(&format!("{}:{}", rule.file, rule.line)), code_lines(&rule.yaml))
        });
        format!(
            "<td class=\"kind\">{fate}</td><td>{}</td><td>{}</td><td>{test}</td><td>{}</td><td>{}</td><td>{change}</td><td>{}</td>",
            mutant.operator,
            mutant.severity,
            mutant.turn,
            mutant.event,
            rule.unwrap_or_default()
        )
    });
    let columns = [
        "fate",
        "operator",
        "severity",
        "test",
        "turn",
        "event",
        "change",
        "rule that notices it",
    ];
    table(&mut page, "Changes that are not noticed", &columns, rows);
    page + &foot()
}

/// Text of several lines.
fn code_lines(text: &str) -> String {
    text.lines().map(code).collect::<Vec<_>>().join("\n")
}

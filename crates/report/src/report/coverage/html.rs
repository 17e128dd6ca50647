//! Coverage as a page of its own.
//!
//! **Invariant:** every text of an agent goes through [`code`], so that none is an element, an attribute or a style.

use crate::report::file::html::{Mood, code, foot, head, table};
use ananke_trace::outcome::coverage::{CoverageReport, CoverageState};

/// The number of tools that have a column in the table of transitions: more are listed.
const MOST_COLUMNS: usize = 30;

/// The coverage, as a page of HTML.
pub(super) fn coverage_page(report: &CoverageReport) -> String {
    let totals = &report.totals;
    let heading = format!(
        "{} % exercised, {} % asserted",
        totals.exercised_percent, totals.asserted_percent
    );
    let mut page = head("coverage", Mood::Neutral, &heading);
    page.push_str(
        "<p>The shares are those of outcomes, values of arguments and answers to interrupts.</p>\n",
    );
    if totals.partial {
        page.push_str("<p>There is more than is kept: these numbers are not complete.</p>\n");
    }
    let tools = report.tools.iter().map(|tool| {
        let declared = if tool.declared { "yes" } else { "no" };
        let states = tool.outcomes.all().map(|(_, state)| cell(state)).concat();
        format!(
            "<th scope=\"row\">{}</th><td>{declared}</td>{states}",
            code(&tool.name)
        )
    });
    table(
        &mut page,
        "Tools",
        &["tool", "declared", "ok", "error", "denied", "pending"],
        tools,
    );
    let values = report.arguments.iter().map(|argument| {
        let [tool, path, value] =
            [&argument.tool, &argument.path, &argument.value.to_string()].map(|text| code(text));
        format!(
            "<td>{tool}</td><td>{path}</td><td>{value}</td>{}",
            kind_cell(argument.state)
        )
    });
    table(
        &mut page,
        "Values of arguments",
        &["tool", "argument", "value", "state"],
        values,
    );
    let answers = report.interrupts.iter().map(|interrupt| {
        let states = interrupt
            .answers
            .all()
            .map(|(_, state)| cell(state))
            .concat();
        format!("<th scope=\"row\">{}</th>{states}", code(&interrupt.name))
    });
    table(
        &mut page,
        "Answers to interrupts",
        &["interrupt", "resolved", "cancelled"],
        answers,
    );
    write_transitions(report, &mut page);
    page + &foot()
}

fn write_transitions(report: &CoverageReport, page: &mut String) {
    let is_listed =
        |state: CoverageState| report.tools.len() <= MOST_COLUMNS || state != CoverageState::Never;
    let rows = report
        .transitions
        .iter()
        .filter(|transition| is_listed(transition.state))
        .map(|transition| {
            let [from, to] = [&transition.from, &transition.to].map(|text| code(text));
            format!(
                "<td>{from}</td><td>{to}</td>{}",
                kind_cell(transition.state)
            )
        });
    table(page, "Transitions", &["call", "next call", "state"], rows);
}

fn cell(state: CoverageState) -> String {
    let word = state.as_str();
    format!("<td class=\"{word}\">{word}</td>")
}

/// The state of a row, by which rows are chosen.
fn kind_cell(state: CoverageState) -> String {
    let word = state.as_str();
    format!("<td class=\"kind {word}\">{word}</td>")
}

//! Coverage for a terminal: a line per tool, then what schemas list, transitions and interrupts, and the shares at the end.

use std::fmt::Write as _;

use ananke_base::text::{columns, escape, truncate};
use ananke_engine::coverage::{CoverageCount, CoverageReport, CoverageState};

/// How many lines each part has at most: more is for programs.
const MOST: usize = 100;

/// The most bytes of one name.
const LONGEST: usize = 60;

/// What is covered, as text.
pub fn coverage_text(report: &CoverageReport) -> String {
    let mut text = String::new();
    write_tools(report, &mut text);
    let values = report.arguments.iter().map(|argument| {
        let path = format!("{} {}: {}", argument.tool, argument.path, argument.value);
        (path, argument.state.as_str().to_owned())
    });
    part(&mut text, "values of arguments", values.collect());
    let happened = report
        .transitions
        .iter()
        .filter(|transition| transition.state != CoverageState::Never);
    let happened = happened.map(|transition| {
        (
            format!("{} → {}", transition.from, transition.to),
            transition.state.as_str().to_owned(),
        )
    });
    part(&mut text, "transitions that occur", happened.collect());
    let answers = report.interrupts.iter().flat_map(|interrupt| {
        let answers = interrupt.answers.all().into_iter();
        answers.map(|(answer, state)| {
            (
                format!("{} {answer}", interrupt.name),
                state.as_str().to_owned(),
            )
        })
    });
    part(&mut text, "answers to interrupts", answers.collect());
    write_totals(report, &mut text);
    text
}

fn write_tools(report: &CoverageReport, text: &mut String) {
    if report.tools.is_empty() {
        text.push_str("no tool is declared or called\n\n");
        return;
    }
    let name = |name: &str, declared: bool| {
        let note = if declared { "" } else { " (not declared)" };
        format!("{}{note}", shown(name))
    };
    let names: Vec<String> = report
        .tools
        .iter()
        .take(MOST)
        .map(|tool| name(&tool.name, tool.declared))
        .collect();
    let width = names
        .iter()
        .map(|name| columns::width(name))
        .max()
        .unwrap_or_default()
        .max("tool".len());
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{:width$}  {:9}  {:9}  {:9}  pending",
        "tool", "ok", "error", "denied"
    );
    for (name, tool) in names.iter().zip(&report.tools) {
        let [ok, error, denied, pending] = tool.outcomes.all().map(|(_, state)| state.as_str());
        let gap = width - columns::width(name);
        let _ = writeln!(
            text,
            "{name}{:gap$}  {ok:9}  {error:9}  {denied:9}  {pending}",
            ""
        );
    }
    rest(text, report.tools.len());
    text.push('\n');
}

fn write_totals(report: &CoverageReport, text: &mut String) {
    let totals = &report.totals;
    let counts = [
        ("tools", totals.tools),
        ("outcomes", totals.outcomes),
        ("values", totals.arguments),
        ("transitions", totals.transitions),
        ("answers", totals.interrupts),
    ];
    for (
        word,
        CoverageCount {
            total,
            exercised,
            asserted,
        },
    ) in counts
    {
        if total > 0 {
            let _ = writeln!(
                text,
                "{word}: {exercised} of {total} exercised, {asserted} asserted"
            );
        }
    }
    if totals.partial {
        text.push_str("there is more than is kept: these numbers are not complete\n");
    }
    let (exercised, asserted) = (totals.exercised_percent, totals.asserted_percent);
    let _ = writeln!(
        text,
        "{exercised} % of outcomes, values and answers are exercised, {asserted} % are asserted"
    );
}

/// A heading, and a line for each row with its state in a column.
fn part(text: &mut String, heading: &str, rows: Vec<(String, String)>) {
    if rows.is_empty() {
        return;
    }
    let count = rows.len();
    let rows: Vec<(String, String)> = rows
        .into_iter()
        .take(MOST)
        .map(|(what, state)| (shown(&what), state))
        .collect();
    let width = rows
        .iter()
        .map(|(what, _)| columns::width(what))
        .max()
        .unwrap_or_default();
    let _ = writeln!(text, "{heading}");
    for (what, state) in rows {
        let gap = width - columns::width(&what);
        let _ = writeln!(text, "  {what}{:gap$}  {state}", "");
    }
    rest(text, count);
    text.push('\n');
}

fn rest(text: &mut String, count: usize) {
    if count > MOST {
        let _ = writeln!(text, "  and {} more", count - MOST);
    }
}

/// What an agent says, harmless for a terminal and in one line.
fn shown(name: &str) -> String {
    escape::line(&truncate::bytes(name, LONGEST)).into_owned()
}

//! Coverage as a page of its own: no script, nothing from elsewhere, light or dark as its reader has it.
//!
//! **Invariant:** every text of an agent goes through [`code`], so that none is an element, an attribute or a style.

use std::fmt::Write as _;

use crate::coverage::{CoverageReport, CoverageState};
use crate::report::file::html::markup;
use crate::text::truncate;

/// The most bytes of one text.
const LONGEST: usize = 2 << 10;

/// How many tools have a column in the table of transitions: more are listed.
const MOST_COLUMNS: usize = 30;

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>ananke: coverage</title>
<style>
:root { --text: #1f2328; --line: #d0d7de; --back: #ffffff; --never: #b42318; --exercised: #7d4e00; --asserted: #116329; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --line: #3d444d; --back: #0d1117; --never: #ff8078; --exercised: #e3b341; --asserted: #56d364; }
}
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: var(--text); background: var(--back);
  font: 1rem/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: 0.2rem 0.6rem; text-align: left; }
th { font-weight: 600; }
code { font: 0.9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.never { color: var(--never); }
.exercised { color: var(--exercised); }
.asserted { color: var(--asserted); }
</style>
</head>
<body>
<main>
"#;

impl CoverageReport {
    /// What is covered, as a page of HTML.
    pub fn html(&self) -> String {
        let totals = &self.totals;
        let mut page = HEAD.to_owned();
        // Writing to a String cannot fail.
        let _ = writeln!(
            page,
            "<h1>{} % exercised, {} % asserted</h1>",
            totals.exercised_percent, totals.asserted_percent
        );
        page.push_str(
            "<p>The shares are those of outcomes, values of arguments and answers to interrupts.</p>\n",
        );
        if totals.partial {
            page.push_str("<p>There is more than is kept: these numbers are not complete.</p>\n");
        }
        let tools = self.tools.iter().map(|tool| {
            let declared = if tool.declared { "yes" } else { "no" };
            let states = tool.outcomes.all().map(|(_, state)| cell(state)).concat();
            format!("<th scope=\"row\">{}</th><td>{declared}</td>{states}", code(&tool.name))
        });
        table(&mut page, "Tools", &["tool", "declared", "ok", "error", "denied", "pending"], tools);
        let values = self.arguments.iter().map(|argument| {
            let [tool, path, value] =
                [&argument.tool, &argument.path, &argument.value.to_string()].map(|text| code(text));
            format!("<td>{tool}</td><td>{path}</td><td>{value}</td>{}", cell(argument.state))
        });
        table(&mut page, "Values of arguments", &["tool", "argument", "value", "state"], values);
        let answers = self.interrupts.iter().map(|interrupt| {
            let states = interrupt.answers.all().map(|(_, state)| cell(state)).concat();
            format!("<th scope=\"row\">{}</th>{states}", code(&interrupt.name))
        });
        table(&mut page, "Answers to interrupts", &["interrupt", "resolved", "cancelled"], answers);
        self.write_transitions(&mut page);
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }

    fn write_transitions(&self, page: &mut String) {
        let is_listed =
            |state: CoverageState| self.tools.len() <= MOST_COLUMNS || state != CoverageState::Never;
        let rows =
            self.transitions.iter().filter(|transition| is_listed(transition.state)).map(|transition| {
                let [from, to] = [&transition.from, &transition.to].map(|text| code(text));
                format!("<td>{from}</td><td>{to}</td>{}", cell(transition.state))
            });
        table(page, "Transitions", &["call", "next call", "state"], rows);
    }
}

/// A heading and a table, unless it has no rows.
fn table(page: &mut String, heading: &str, columns: &[&str], rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let columns: Vec<String> =
        columns.iter().map(|column| format!("<th scope=\"col\">{column}</th>")).collect();
    let _ = writeln!(page, "<h2>{heading}</h2>\n<table>\n<tr>{}</tr>", columns.concat());
    for row in rows {
        let _ = writeln!(page, "<tr>{row}</tr>");
    }
    page.push_str("</table>\n");
}

fn cell(state: CoverageState) -> String {
    let word = state.as_str();
    format!("<td class=\"{word}\">{word}</td>")
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", markup::line(&truncate::bytes(text, LONGEST)))
}

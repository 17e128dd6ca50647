//! Parts of pages without a script: what such a page begins with, tables, and texts of agents.

use std::fmt::Write as _;

use super::file::html::markup;
use ananke_base::text::truncate;

/// The most bytes of one text.
const LONGEST: usize = 2 << 10;

const BEFORE_TITLE: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="ananke">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
"#;

/// The style of pages of tables, in which each row has a state.
pub(super) const TABLES: &str = ":root { --text: #1f2328; --line: #d0d7de; --back: #ffffff; --never: #b42318; --exercised: #7d4e00; --asserted: #116329; }
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
";

/// What a page with this title and this style begins with.
pub(super) fn head(title: &str, style: &str) -> String {
    format!(
        "{BEFORE_TITLE}<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
    )
}

/// A heading and a table, unless it has no rows.
pub(super) fn table(
    page: &mut String,
    heading: &str,
    columns: &[&str],
    rows: impl Iterator<Item = String>,
) {
    let rows: Vec<String> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let columns: Vec<String> = columns
        .iter()
        .map(|column| format!("<th scope=\"col\">{column}</th>"))
        .collect();
    let _ = writeln!(
        page,
        "<h2>{heading}</h2>\n<table>\n<tr>{}</tr>",
        columns.concat()
    );
    for row in rows {
        let _ = writeln!(page, "<tr>{row}</tr>");
    }
    page.push_str("</table>\n");
}

/// A text of an agent, as code.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// A text of an agent for between two tags, shortened.
pub(super) fn escaped(text: &str) -> String {
    markup::line(&truncate::bytes(text, LONGEST))
}

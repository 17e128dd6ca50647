//! A comparison as a page of its own: no script, nothing from elsewhere, light or dark as its reader has it.
//!
//! **Invariant:** every text goes through [`escaped`], so that none is an element, an attribute or a style.

use std::fmt::Write as _;

use super::words::{self, SECTIONS, TestDifference};
use crate::compare::{Comparison, TestChange};
use crate::report::page_parts::{code, escaped, head};

const STYLE: &str = ":root { --text: #1f2328; --faint: #57606a; --line: #d0d7de; --back: #ffffff; --bad: #b42318; --good: #116329; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --faint: #9da7b1; --line: #3d444d; --back: #0d1117; --bad: #ff8078; --good: #56d364; }
}
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: var(--text); background: var(--back);
  font: 1rem/1.5 system-ui, sans-serif; }
h1.bad { color: var(--bad); }
h1.good { color: var(--good); }
h2 { border-bottom: 1px solid var(--line); }
code { font: 0.9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
li { margin: 0.3rem 0; }
.faint { color: var(--faint); }
";

impl Comparison {
    /// What changed, as a page of HTML.
    pub fn html(&self) -> String {
        let class = if self.is_regression() { "bad" } else { "good" };
        let mut page = head("ananke: two runs compared", STYLE);
        // Writing to a String cannot fail.
        let _ = writeln!(
            page,
            "<h1 class=\"{class}\">{}</h1>",
            escaped(&self.verdict_in_words())
        );
        let _ = writeln!(
            page,
            "<p>{}</p>\n<ul class=\"faint\">",
            escaped(&self.changed())
        );
        for (word, side) in [("before", &self.before), ("after", &self.after)] {
            let _ = writeln!(
                page,
                "<li>{word} {}: {}</li>",
                code(&side.name),
                escaped(&words::of_run(side))
            );
        }
        if let Some(line) = self.agents_time() {
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
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }
}

fn row(change: &TestChange) -> String {
    let mut row = format!("<li>{} {}", words::mark(change).sign(), code(change.id()));
    let note = words::note(change);
    if !note.is_empty() {
        let _ = write!(row, " <span class=\"faint\">{note}</span>");
    }
    if let Some(reason) = words::reason(change) {
        let _ = write!(row, "<br>{}", escaped(reason));
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

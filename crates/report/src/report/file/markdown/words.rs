//! Pieces of Markdown. The text of an agent is always in a code span or a code block, where Markdown reads no
//! links, images, mentions, tables and HTML, and cannot leave it.

use ananke_base::text::{escape, truncate};

/// `text` in a code span on one line, of about `max` bytes at most: its fence is longer than any row of backticks in it.
pub(in crate::report) fn code(text: &str, max: usize) -> String {
    let text = truncate::bytes(text, max);
    let text = escape::line(&text);
    if text.trim().is_empty() {
        return "(nothing)".to_owned();
    }
    let rows = text.split(|character| character != '`').map(str::len);
    let fence = "`".repeat(rows.max().unwrap_or(0) + 1);
    // A blank at both ends belongs to the span and is not shown.
    let edge = |character: char| matches!(character, '`' | ' ');
    let pad = if text.starts_with(edge) || text.ends_with(edge) {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A code span in a cell of a table, which a `|` would end even there.
pub(super) fn cell(code: &str) -> String {
    code.replace('|', "\\|")
}

/// `body`, collapsed under a line.
pub(super) fn folded(summary: &str, body: &str) -> String {
    format!(
        "<details><summary>{summary}</summary>\n\n{}\n\n</details>\n\n",
        body.trim_end_matches('\n')
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_span_holds_everything() {
        for (text, expected) in [
            ("plain", "`plain`"),
            ("a `b` ``c``", "``` a `b` ``c`` ```"),
            ("`", "`` ` ``"),
            (" x", "`  x `"),
            ("a\nb</details>", "`a\\nb</details>`"),
            (" ", "(nothing)"),
            ("", "(nothing)"),
        ] {
            assert_eq!(code(text, 100), expected);
        }
        assert_eq!(cell(&code("a|b", 100)), "`a\\|b`");
        assert_eq!(code("abcdef", 3), "`abc… (3 more bytes)`");
    }
}

//! Parts of pages of tables and lists: their head and end, tables, and texts of agents.

use std::fmt::Write as _;

use crate::report::file::html::assets::{TABLES_SCRIPT, TABLES_STYLE, policy};
use crate::report::file::html::markup;
use ananke_base::text::truncate;

/// The most bytes of one text.
const LONGEST: usize = 2 << 10;

/// The colour of a page's heading.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mood {
    Good,
    Bad,
    Neutral,
}

/// The beginning of a page: `title` as the name of its window, `heading` as HTML.
pub(crate) fn head(title: &str, mood: Mood, heading: &str) -> String {
    let mood = match mood {
        Mood::Good => " passed",
        Mood::Bad => " failed",
        Mood::Neutral => "",
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"generator\" content=\"ananke\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>ananke: {title}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>{TABLES_STYLE}</style>\n</head>\n<body>\n\
         <header class=\"summary{mood}\">\n<p class=\"program\">ananke: {title}</p>\n<h1>{heading}</h1>\n</header>\n<main>\n",
        policy(TABLES_STYLE, TABLES_SCRIPT)
    )
}

/// The end of a page.
pub(crate) fn foot() -> String {
    format!("</main>\n<script>{TABLES_SCRIPT}</script>\n</body>\n</html>\n")
}

/// A heading and a table, unless it has no rows.
pub(crate) fn table(
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
    // Writing to a String cannot fail.
    let _ = writeln!(
        page,
        "<h2>{heading}</h2>\n<div class=\"table\" role=\"group\" aria-label=\"{heading}\" tabindex=\"0\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>",
        columns.concat()
    );
    for row in rows {
        let _ = writeln!(page, "<tr>{row}</tr>");
    }
    page.push_str("</tbody>\n</table></div>\n");
}

/// A text of an agent, as code.
pub(crate) fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// Words of our own in which code is between backticks.
pub(crate) fn words(text: &str) -> String {
    let text = truncate::bytes(text, LONGEST);
    let mut html = String::new();
    let mut rest = &*text;
    while let Some((before, code, after)) = span(rest) {
        html += &markup::line(before);
        let _ = write!(html, "<code>{}</code>", markup::line(code));
        rest = after;
    }
    html + &markup::line(rest)
}

/// The first part between two backticks, with what is before and after it.
fn span(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    Some((before, code, after))
}

/// A text of an agent for between two tags, shortened.
pub(crate) fn escaped(text: &str) -> String {
    markup::line(&truncate::bytes(text, LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_between_backticks_is_code() {
        assert_eq!(
            words("no call to `a<b` with `c`, ` alone"),
            "no call to <code>a&lt;b</code> with <code>c</code>, ` alone"
        );
        assert_eq!(words("<b>"), "&lt;b&gt;");
    }
}

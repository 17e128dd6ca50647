//! The tools that models picked, as a table of the page.

use std::io::{self, Write};

use super::markup;
use crate::report::words::links::push_part;
use crate::report::words::picks::PickTable;
use crate::run_document::PickTotals;
use ananke_base::text::truncate;

/// The most bytes of a name.
const NAME: usize = 200;

/// The table of a run, each test with a link to it, and the tools that no model picked; nothing if no test has tools of a server.
pub(super) fn picks(out: &mut impl Write, picks: &PickTotals) -> io::Result<()> {
    let Some(table) = PickTable::of(picks) else {
        return Ok(());
    };
    out.write_all(b"<section class=\"picks\" aria-label=\"Picks\">\n<h2>Picks</h2>\n<div class=\"table\"><table>\n<thead><tr><th scope=\"col\">Test</th>")?;
    for column in &table.columns {
        write!(
            out,
            "<th scope=\"col\"><bdi>{}</bdi></th>",
            markup::line(&truncate::bytes(column, NAME))
        )?;
    }
    out.write_all(b"</tr></thead>\n<tbody>\n")?;
    // Each test is a link, because a reader wants to see the calls and their arguments next.
    for row in &table.rows {
        let mut address = "#test=".to_owned();
        push_part(&mut address, row.test);
        let test = markup::line(row.test);
        write!(
            out,
            "<tr><th scope=\"row\"><a href=\"{address}\"><bdi>{test}</bdi></a></th>"
        )?;
        for cell in &row.cells {
            write!(out, "<td>{cell}</td>")?;
        }
        out.write_all(b"</tr>\n")?;
    }
    out.write_all(b"</tbody>\n</table></div>\n")?;
    for (further, what) in [
        (table.further_rows, "tests"),
        (table.further_columns, "tools"),
    ] {
        if further > 0 {
            writeln!(out, "<p class=\"note\">… and {further} more {what}</p>")?;
        }
    }
    never_picked(out, picks)?;
    out.write_all(b"</section>\n")
}

fn never_picked(out: &mut impl Write, picks: &PickTotals) -> io::Result<()> {
    if picks.never_picked().next().is_none() {
        return Ok(());
    }
    out.write_all(b"<h3>Never picked</h3>\n<ul>\n")?;
    for tool in picks.never_picked() {
        let name = markup::line(&truncate::bytes(&tool.name, NAME));
        write!(out, "<li><code>{name}</code>")?;
        if !tool.unclear.is_empty() {
            let unclear = markup::line(&tool.unclear.join("; "));
            write!(out, " <span class=\"facts\"><bdi>{unclear}</bdi></span>")?;
        }
        out.write_all(b"</li>\n")?;
    }
    out.write_all(b"</ul>\n")
}

//! The tools that models picked, as a table of Markdown.

use std::fmt::Write as _;

use super::words::{NAME, cell, folded};
use super::{MarkdownRows, code, message};
use crate::report::words::picks::PickTable;
use crate::run_document::PickTotals;

/// The table of a run, and the tools that no model picked, in about `room` bytes; empty if no test has tools of a server.
pub(super) fn picks(picks: &PickTotals, room: usize) -> String {
    let Some(table) = PickTable::of(picks) else {
        return String::new();
    };
    let mut head = "| Test |".to_owned();
    let mut rule = "|---|".to_owned();
    for column in &table.columns {
        // `none` and `errors` are no names of tools.
        let is_tool = !["none", "errors"].contains(column);
        let shown = if is_tool {
            code(column, NAME)
        } else {
            (*column).to_owned()
        };
        let _ = write!(head, " {} |", cell(&shown));
        rule += "--:|";
    }
    let mut text = format!("### picks\n\n{head}\n{rule}\n");
    // A comment of a pull request has little room, so that rows are omitted rather than the failures after them.
    let mut further = table.further_rows;
    for row in &table.rows {
        let id = cell(&code(row.test, NAME));
        let line = format!("| {id} | {} |\n", row.cells.join(" | "));
        if text.len() + line.len() > room {
            further += 1;
        } else {
            text += &line;
        }
    }
    if further > 0 {
        let _ = write!(text, "\n… and {further} more\n");
    }
    text += "\n";
    let mut never = MarkdownRows::new(room / 2);
    for tool in picks.never_picked() {
        let mut row = code(&tool.name, NAME);
        if !tool.unclear.is_empty() {
            let _ = write!(row, ": {}", message(&tool.unclear.join("; "), NAME));
        }
        never.add(&row);
    }
    if never.count > 0 {
        text += &folded(&format!("{} never picked", never.count), &never.text());
    }
    text
}

//! The tools that models picked, for people: in one line for a test, and as a table of tests and tools.

use ananke_base::text::{columns, escape};
use ananke_trace::outcome::Outcome;

use crate::run_document::{PickTotals, TestPicks};

/// The most columns of a table, apart from the test.
const MOST_COLUMNS: usize = 20;

/// The most rows of a table.
const MOST_ROWS: usize = 200;

/// The most columns of a terminal that the name of a tool takes.
const NAME: usize = 40;

/// The fewest columns of a terminal that are left for a test, next to its picks.
const LEAST_TEST: usize = 24;

/// The column of runs that ended with an error.
const ERRORS: &str = "errors";

/// The sign of a tool that was not picked.
const NOT_PICKED: &str = "·";

/// `find_order 5/5, none 1/5`: the picks of a test; `None` if it has no tools of a server, or if no run came to its end.
pub(crate) fn of_test(outcome: &Outcome) -> Option<String> {
    let picks = outcome.picks.as_deref()?;
    let mut parts = Vec::new();
    for tool in &picks.tools {
        if tool.picked > 0 {
            parts.push(format!("{} {}", tool.name, share(tool.picked, picks.runs)));
        }
    }
    if picks.none > 0 {
        parts.push(format!("none {}", share(picks.none, picks.runs)));
    }
    if picks.errors > 0 {
        parts.push(format!("{ERRORS} {}", picks.errors));
    }
    if picks.runs + picks.errors == 0 {
        return None;
    }
    Some(parts.join(", "))
}

/// `3/5`
fn share(count: u32, runs: u32) -> String {
    format!("{count}/{runs}")
}

/// The picks of the tests of a run as a table: a row for each test, and a column for each tool that some model picked.
pub(crate) struct PickTable<'a> {
    /// The names of the tools, and `none` for runs without one.
    pub(crate) columns: Vec<&'a str>,
    /// One row for each test that has runs, with a cell for every column.
    pub(crate) rows: Vec<PickRow<'a>>,
    /// The number of tests that have no row.
    pub(crate) further_rows: usize,
    /// The number of tools that have no column.
    pub(crate) further_columns: usize,
}

/// One test in the table.
pub(crate) struct PickRow<'a> {
    /// The id of the test.
    pub(crate) test: &'a str,
    /// The picks in each column, `3/5`; [`NOT_PICKED`] for none.
    pub(crate) cells: Vec<String>,
}

impl<'a> PickTable<'a> {
    /// The table of a run; `None` if no test with tools of a server came to an end.
    pub(crate) fn of(picks: &'a PickTotals) -> Option<Self> {
        // Tests whose runs all ended with an error show nothing about their model, and are listed as errors elsewhere.
        let mut has_runs = false;
        let mut has_errors = false;
        for test in &picks.tests {
            has_runs |= test.runs > 0;
            has_errors |= test.errors > 0;
        }
        if !has_runs {
            return None;
        }
        // A server may have hundreds of tools, so that only those that some model picked have a column.
        let mut tools: Vec<&str> = picks.picked().map(|tool| tool.name.as_str()).collect();
        let further_columns = tools.len().saturating_sub(MOST_COLUMNS);
        tools.truncate(MOST_COLUMNS);
        let mut rows = Vec::new();
        for test in picks.tests.iter().take(MOST_ROWS) {
            let mut cells = cells(test, &tools);
            if has_errors {
                let count = test.errors.to_string();
                cells.push(if test.errors > 0 {
                    count
                } else {
                    NOT_PICKED.to_owned()
                });
            }
            rows.push(PickRow {
                test: &test.id,
                cells,
            });
        }
        let mut columns = tools;
        columns.push("none");
        if has_errors {
            columns.push(ERRORS);
        }
        Some(Self {
            columns,
            further_rows: picks.tests.len() - rows.len() + picks.further,
            rows,
            further_columns,
        })
    }

    /// The lines of the table at a terminal of this width; `None` if the columns leave no room for the tests.
    pub(crate) fn lines(&self, width: usize) -> Option<Vec<String>> {
        // Counts of two digits and their names are right-aligned, because numbers are compared from their ends.
        let mut widths = Vec::new();
        for column in &self.columns {
            widths.push(columns::width(&name(column)).max(5));
        }
        let taken: usize = widths.iter().map(|width| width + 2).sum();
        if taken + LEAST_TEST > width {
            return None;
        }
        let longest = self.rows.iter().map(|row| columns::width(row.test)).max();
        let room = longest.unwrap_or(0).min(width - taken);
        let mut head = " ".repeat(room);
        for (column, width) in self.columns.iter().zip(&widths) {
            head += &right(&name(column), width + 2);
        }
        let mut lines = vec![head];
        for row in &self.rows {
            let test = columns::beginning_of(&escape::line(row.test), room);
            let blanks = " ".repeat(room.saturating_sub(columns::width(&test)));
            let mut line = format!("{test}{blanks}");
            for (cell, width) in row.cells.iter().zip(&widths) {
                line += &right(cell, width + 2);
            }
            lines.push(line);
        }
        Some(lines)
    }

    /// The picks of a row in one line: `find_order 5/5, none 0/5`.
    pub(crate) fn in_one_line(&self, row: &PickRow<'_>) -> String {
        let mut picked = Vec::new();
        for (cell, column) in row.cells.iter().zip(&self.columns) {
            if cell != NOT_PICKED {
                picked.push(format!("{} {cell}", name(column)));
            }
        }
        picked.join(", ")
    }
}

/// The cells of a test in the columns of these tools, and the one for runs without a pick.
fn cells(test: &TestPicks, tools: &[&str]) -> Vec<String> {
    let mut cells = Vec::new();
    for tool in tools {
        cells.push(cell(test.picked.get(*tool).copied(), test.runs));
    }
    cells.push(cell(Some(test.none), test.runs));
    cells
}

fn cell(count: Option<u32>, runs: u32) -> String {
    match count {
        None | Some(0) => NOT_PICKED.to_owned(),
        Some(count) => share(count, runs),
    }
}

/// The name of a tool as a terminal shows it.
fn name(tool: &str) -> String {
    columns::beginning_of(&escape::line(tool), NAME)
}

/// `text` at the right of `width` columns.
fn right(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(columns::width(text));
    format!("{}{text}", " ".repeat(blanks))
}

#[cfg(test)]
mod tests {
    use ananke_trace::outcome::coverage::{Picks, ToolPicks};

    use super::*;

    fn totals() -> PickTotals {
        let mut totals = PickTotals::default();
        for (id, called) in [("a::asks", &["find"][..]), ("a::wants", &["find", "pay"])] {
            let offered = ["find", "pay", "drop"].map(ToolPicks::new);
            let mut picks = Picks::of_run(offered.to_vec(), called);
            picks.add(Picks::of_run(offered.to_vec(), &["find"]));
            let mut outcome = Outcome::default();
            outcome.test.id = id.to_owned();
            outcome.picks = Some(Box::new(picks));
            totals.add(&outcome);
        }
        totals
    }

    #[test]
    fn a_table_has_a_column_for_each_tool_that_was_picked() {
        let totals = totals();
        let table = PickTable::of(&totals).expect("picks");
        let lines = table.lines(80).expect("room");
        assert_eq!(
            lines,
            [
                "           find    pay   none",
                "a::asks     2/2      ·      ·",
                "a::wants    2/2    1/2      ·",
            ]
        );
        let never: Vec<&str> = totals
            .never_picked()
            .map(|tool| tool.name.as_str())
            .collect();
        assert_eq!(never, ["drop"]);
    }

    #[test]
    fn there_is_no_table_without_room_for_the_tests() {
        let totals = totals();
        let table = PickTable::of(&totals).expect("picks");
        assert_eq!(table.lines(30), None);
        let rows: Vec<String> = table
            .rows
            .iter()
            .map(|row| table.in_one_line(row))
            .collect();
        assert_eq!(rows, ["find 2/2", "find 2/2, pay 1/2"]);
    }

    #[test]
    fn no_run_is_no_table() {
        assert!(PickTable::of(&PickTotals::default()).is_none());
        assert_eq!(of_test(&Outcome::default()), None);
    }
}

//! A line of a file that a command names instead of a test, as messages print places: `FILE:LINE` or `FILE:LINE:COLUMN`.
//!
//! Flows in: what is written, then the tests of the file. Flows out: those that the line belongs to, or why it belongs to none.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::file_lines::{FileLines, count};
use super::named_place::{NamedPlace, is_file_name};
use crate::loaded::{CaseEntry, row_users};
use crate::project::is_spec;
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic};

/// A line of a file that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedLine {
    /// The argument as it is written.
    written: String,
    /// The file, as it is written.
    file: String,
    path: PathBuf,
    /// Counted from 1.
    line: u32,
    /// The test files that have their rows in the file; none if it contains tests.
    row_users: Vec<PathBuf>,
}

impl NamedLine {
    /// The line that `written` names; `None` if it has not the form of one.
    ///
    /// # Errors
    /// If there is no such line.
    pub(super) fn of(written: &str, place: &NamedPlace<'_>) -> Option<Result<Self, Diagnostic>> {
        let (file, line) = written
            .rsplit_once(':')
            .filter(|(_, line)| is_number(line))?;
        let with_column = file.rsplit_once(':').filter(|(_, line)| is_number(line));
        let is_there = |file: &str| place.find(Path::new(file)).is_some();
        let (file, line) = with_column
            .filter(|_| !is_there(file))
            .unwrap_or((file, line));
        let Some(path) = place.find(Path::new(file)) else {
            return is_file_name(file).then(|| Err(place.no_file(file, &written[file.len()..])));
        };
        Some(Self::at(written, (file, &path), line, place))
    }

    fn at(
        written: &str,
        (file, path): (&str, &Path),
        line: &str,
        place: &NamedPlace<'_>,
    ) -> Result<Self, Diagnostic> {
        let error = |found: &str| Diagnostic::error(Code::NoTests, format!("`{written}` {found}"));
        let NamedPlace {
            context,
            folder,
            config,
            specs,
        } = *place;
        if context.files.is_directory(path) {
            let problem = error("names a line of a directory, expected a line of a file");
            return Err(problem.help(format!("name the directory alone: `{file}`")));
        }
        if path == config {
            let problem = error("is a line of the project config, expected a line of a test file");
            let help = "name a line of a test; `ananke list` prints the tests with their lines";
            return Err(problem.help(help));
        }
        // A line with more digits than any file has lines is after the end of every file.
        let line = line.parse().unwrap_or(u32::MAX);
        if line == 0 {
            let problem = error("is not a line: the first line of a file is line 1");
            return Err(problem.help(format!(
                "name the file alone to run all its tests: `{file}`"
            )));
        }
        let has_rows_alone = has_extension(path, "csv");
        let row_users = if has_rows_alone || !is_spec(path, folder, specs) {
            row_users(path, context, folder, specs)
        } else {
            Vec::new()
        };
        if has_rows_alone && row_users.is_empty() {
            let problem = error("is a line of a file that no test has its rows in");
            return Err(problem.help(format!("a test has rows in a file with `cases: {file}`")));
        }
        Ok(Self {
            written: written.to_owned(),
            file: file.to_owned(),
            path: path.to_path_buf(),
            line,
            row_users,
        })
    }

    /// The test files that have to be read for it.
    pub(super) fn files(&self) -> &[PathBuf] {
        if self.row_users.is_empty() {
            std::slice::from_ref(&self.path)
        } else {
            &self.row_users
        }
    }

    /// The positions of those `cases` that the line belongs to.
    ///
    /// # Errors
    /// If it belongs to none.
    pub(super) fn find(
        &self,
        cases: &[CaseEntry],
        context: &Context,
    ) -> Result<Vec<usize>, Diagnostic> {
        if self.row_users.is_empty() {
            self.find_test(cases, context)
        } else {
            self.find_row(cases, context)
        }
    }

    fn find_test(&self, cases: &[CaseEntry], context: &Context) -> Result<Vec<usize>, Diagnostic> {
        let file = FileLines::read(context, &self.path);
        self.check_end(file.count)?;
        let own: Vec<(usize, &CaseEntry)> = cases
            .iter()
            .enumerate()
            .filter(|(_, case)| case.test.path == self.path)
            .collect();
        let mut found = Vec::new();
        for test in file
            .tests
            .iter()
            .filter(|test| test.lines.contains(&self.line))
        {
            let of_test = own.iter().filter(|(_, case)| test.is_of(case));
            let is_named = |case: &CaseEntry| {
                let row = case
                    .row
                    .as_ref()
                    .and_then(|row| test.rows.get(row.index as usize));
                row.is_some_and(|lines| lines.contains(&self.line))
            };
            let rows: Vec<usize> = of_test
                .clone()
                .filter(|(_, case)| is_named(case))
                .map(|(at, _)| *at)
                .collect();
            if rows.is_empty() {
                found.extend(of_test.map(|(at, _)| *at));
            } else {
                found.extend(rows);
            }
        }
        if !found.is_empty() {
            return Ok(found);
        }
        let neighbours = file.tests.iter().filter_map(|test| {
            let (_, case) = own.iter().find(|(_, case)| test.is_of(case))?;
            Some((case.test.id.clone(), test.lines.clone()))
        });
        Err(self.between(&neighbours.collect::<Vec<_>>(), "test"))
    }

    fn find_row(&self, cases: &[CaseEntry], context: &Context) -> Result<Vec<usize>, Diagnostic> {
        self.check_end(count(context, &self.path).unwrap_or(u32::MAX))?;
        let has_row = |case: &CaseEntry| case.test.row_file.as_deref() == Some(&*self.path);
        let rows: Vec<(usize, &CaseEntry)> = cases
            .iter()
            .enumerate()
            .filter(|(_, case)| has_row(case))
            .collect();
        let line_of = |case: &CaseEntry| case.row.as_ref().map_or(0, |row| row.line);
        // The rows of one test follow each other, and a row has the lines before the next one.
        let last_before = |case: &CaseEntry| {
            let of_test = rows.iter().filter(|(_, row)| row.is_of_same_test(case));
            let lines = of_test.map(|(_, row)| line_of(row));
            lines.filter(|line| *line <= self.line).max()
        };
        let found: Vec<usize> = rows
            .iter()
            .filter(|(_, case)| last_before(case) == Some(line_of(case)))
            .map(|(at, _)| *at)
            .collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let lines = rows.iter().map(|(_, case)| {
            let line = line_of(case);
            (case.id().into_owned(), line..=line)
        });
        Err(self.between(&lines.collect::<Vec<_>>(), "row"))
    }

    fn check_end(&self, count: u32) -> Result<(), Diagnostic> {
        if self.line <= count {
            return Ok(());
        }
        let lines = if count == 1 { "line" } else { "lines" };
        let message = format!(
            "`{}` is after the end of the file, which has {count} {lines}",
            self.written
        );
        let help = if self.row_users.is_empty() {
            let file = &self.file;
            format!("name a line of a test, or the file alone to run all its tests: `{file}`")
        } else {
            "name a line of a row".to_owned()
        };
        Err(Diagnostic::error(Code::NoTests, message).help(help))
    }

    /// The problem of a line that is in none of the tests or rows, which are given with their lines.
    fn between(&self, all: &[(String, RangeInclusive<u32>)], what: &str) -> Diagnostic {
        let before = all.iter().rev().find(|(_, lines)| *lines.end() < self.line);
        let after = all.iter().find(|(_, lines)| *lines.start() > self.line);
        let (found, help) = match (before, after) {
            (Some(before), Some(after)) => (
                format!("is between two {what}s"),
                format!(
                    "name a line of {} before it, or of {} after it",
                    shown(before),
                    shown(after)
                ),
            ),
            (None, Some(first)) => (
                format!("is before the first {what}"),
                format!("name a line of {}", shown(first)),
            ),
            (Some(last), None) => (
                format!("is after the last {what}"),
                format!("name a line of {}", shown(last)),
            ),
            (None, None) => (
                format!("is in no {what}"),
                "`ananke list` prints the tests with their lines".to_owned(),
            ),
        };
        let message = format!("`{}` {found}, expected a line of a {what}", self.written);
        Diagnostic::error(Code::NoTests, message).help(help)
    }
}

fn shown((id, lines): &(String, RangeInclusive<u32>)) -> String {
    let (first, last) = (lines.start(), lines.end());
    if first == last {
        format!("`{id}` (line {first})")
    } else {
        format!("`{id}` (lines {first} to {last})")
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

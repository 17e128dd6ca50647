//! Lines of the tests of a file, and of the rows that are written in them.
//!
//! Flows in: a test file. Flows out: the first and the last line of each test and row. A test ends before the next one: blank lines and
//! comments between them belong to neither. **Invariant:** nothing that the file says is evaluated, so that a broken test has its lines
//! too.

use std::io::{self, BufRead as _, BufReader};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use crate::cases::{CaseFile, FilePart, is_case_file};
use crate::loaded::CaseEntry;
use ananke_base::context::{Context, display_name};
use ananke_base::diagnostic::{SourceFile, Span};
use ananke_base::source::{self, Node};

/// The lines of a test file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileLines {
    /// The number of them.
    pub(super) count: u32,
    /// The lines of its tests, in their order.
    pub(super) tests: Vec<TestLines>,
}

/// The lines of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestLines {
    /// Its place among the tests of its file, counted from 0.
    index: usize,
    /// Its part of a case file.
    part: Option<FilePart>,
    /// The first and the last of them.
    pub(super) lines: RangeInclusive<u32>,
    /// The lines of the rows that are written in it.
    pub(super) rows: Vec<RangeInclusive<u32>>,
}

impl TestLines {
    /// True if `case` is the test, or one of its rows.
    pub(super) fn is_of(&self, case: &CaseEntry) -> bool {
        case.test.part == self.part && case.test.index == self.index
    }
}

impl FileLines {
    /// The lines of the test file at `path`; without tests if the file cannot be read.
    pub(super) fn read(context: &Context, path: &Path) -> Self {
        let name = display_name(context, path);
        if is_case_file(path) {
            return Self {
                count: count(context, path).unwrap_or_default(),
                tests: of_cases(CaseFile {
                    files: &context.files,
                    path,
                    name: &name,
                }),
            };
        }
        let Ok(source) = source::read(&context.files, path, &name) else {
            return Self::default();
        };
        match source::tree(&source) {
            (Some(root), _) => WrittenLines::of(&source).file(&root),
            (None, _) => Self::default(),
        }
    }
}

/// The number of lines of the file at `path`.
pub(super) fn count(context: &Context, path: &Path) -> io::Result<u32> {
    let mut reader = BufReader::new(context.files.open(path)?);
    let (mut count, mut is_open) = (0_u32, false);
    loop {
        let bytes = reader.fill_buf()?;
        let Some(last) = bytes.last() else {
            return Ok(count.saturating_add(u32::from(is_open)));
        };
        is_open = *last != b'\n';
        let ends = bytes.split(|byte| *byte == b'\n').skip(1).count();
        count = count.saturating_add(number(ends));
        let length = bytes.len();
        reader.consume(length);
    }
}

fn of_cases(file: CaseFile<'_>) -> Vec<TestLines> {
    let mut tests = Vec::new();
    file.each(&mut |read| {
        let Ok(case) = read else { return };
        let first = case.source.first_line;
        let length = number(case.source.text.lines().count()).max(1);
        tests.push(TestLines {
            index: 0,
            part: Some(case.part),
            lines: first..=first.saturating_add(length - 1),
            rows: Vec::new(),
        });
    });
    tests
}

/// A YAML file and its lines.
struct WrittenLines<'s> {
    source: &'s Arc<SourceFile>,
    lines: Vec<&'s str>,
}

impl<'s> WrittenLines<'s> {
    fn of(source: &'s Arc<SourceFile>) -> Self {
        let lines = source.text.lines().collect();
        Self { source, lines }
    }

    fn file(&self, root: &Node) -> FileLines {
        let count = number(self.lines.len());
        let whole = 1..=count.max(1);
        let test = |(index, (node, lines)): (usize, (&Node, RangeInclusive<u32>))| TestLines {
            index,
            part: None,
            rows: self
                .items(node, "cases", &lines)
                .map(|(_, lines)| lines)
                .collect(),
            lines,
        };
        let tests = if root.get("tests").is_some() {
            self.items(root, "tests", &whole)
                .enumerate()
                .map(test)
                .collect()
        } else {
            vec![test((0, (root, whole)))]
        };
        FileLines { count, tests }
    }

    /// The items of the list under `key` of a mapping that is in `lines`, each with its lines.
    fn items<'n>(
        &self,
        mapping: &'n Node,
        key: &str,
        lines: &RangeInclusive<u32>,
    ) -> impl Iterator<Item = (&'n Node, RangeInclusive<u32>)> {
        let entry = mapping.entries().iter().find(|entry| entry.key == key);
        let after = |span: Span| {
            let keys = mapping.entries().iter().map(|entry| entry.key_span);
            let later = keys.filter(|other| other.start > span.start).min();
            later.map(|span| self.line(span))
        };
        let end = entry
            .and_then(|entry| after(entry.key_span))
            .unwrap_or(lines.end().saturating_add(1));
        let items = entry.map_or(&[][..], |entry| entry.value.items());
        let firsts: Vec<u32> = items
            .iter()
            .map(|item| self.first_line(item.span))
            .collect();
        // The items of an alias are written elsewhere.
        let is_inside = firsts.iter().all(|first| lines.contains(first)) && firsts.is_sorted();
        let ends: Vec<u32> = firsts.iter().skip(1).copied().chain([end]).collect();
        let lines: Vec<_> = firsts
            .into_iter()
            .zip(ends)
            .map(|(first, end)| self.item_lines(first, end))
            .collect();
        items.iter().zip(lines).filter(move |_| is_inside)
    }

    /// The lines from `first` to the last before `end` that belongs to an item of a list.
    fn item_lines(&self, first: u32, end: u32) -> RangeInclusive<u32> {
        let dash = self.text(first).find(|sign| sign != ' ');
        let dash = dash.filter(|at| self.text(first)[*at..].starts_with('-'));
        let is_between = |line: &u32| {
            let text = self.text(*line);
            let inside = text.trim_start();
            let indentation = text.len() - inside.len();
            match dash {
                _ if inside.is_empty() => true,
                Some(dash) => indentation <= dash,
                None => inside.starts_with(['#', ']']),
            }
        };
        let last = (first..end).rev().find(|line| !is_between(line));
        first..=last.unwrap_or(first).max(first)
    }

    /// The line in which an item of a list begins: that of its dash, which may be some lines above its value.
    fn first_line(&self, span: Span) -> u32 {
        let own = self.line(span);
        let start = self.text(own).trim_start();
        if start.starts_with('-') {
            return own;
        }
        let mut above = (1..own)
            .rev()
            .map(|line| (line, self.text(line).trim_start()));
        let dash = above.find(|(_, text)| !text.is_empty() && !text.starts_with('#'));
        let is_dash =
            |text: &str| text == "-" || text.starts_with("- #") || text.starts_with("- &");
        dash.filter(|(_, text)| is_dash(text.trim_end()))
            .map_or(own, |(line, _)| line)
    }

    fn line(&self, span: Span) -> u32 {
        self.source.place(span).line
    }

    fn text(&self, line: u32) -> &'s str {
        let index = usize::try_from(line).unwrap_or(usize::MAX);
        self.lines
            .get(index.wrapping_sub(1))
            .copied()
            .unwrap_or_default()
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the tests of a file, each with those of its rows.
    fn lines(text: &str) -> (u32, Vec<String>) {
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", text));
        let (root, problems) = source::tree(&source);
        assert!(problems.is_empty(), "{problems:?}");
        let found = WrittenLines::of(&source).file(&root.expect("a tree"));
        let shown = |lines: &RangeInclusive<u32>| format!("{}-{}", lines.start(), lines.end());
        let tests = found.tests.iter().map(|test| {
            let rows: Vec<String> = test.rows.iter().map(shown).collect();
            format!("{} {}", shown(&test.lines), rows.join(" "))
        });
        (
            found.count,
            tests.map(|test| test.trim_end().to_owned()).collect(),
        )
    }

    #[test]
    fn one_test_has_the_whole_file() {
        assert_eq!(
            lines("# about\nname: a\n\nturns: []\n# end\n"),
            (5, vec!["1-5".to_owned()])
        );
        let rows =
            "name: a\ncases:\n  - id: x\n    n: 1\n  # about y\n\n  - { id: y }\nturns: []\n";
        assert_eq!(lines(rows), (8, vec!["1-8 3-4 7-7".to_owned()]));
        let rows = "name: a\ncases: [{ n: 1 },\n  { n: 2,\n    m: 3 }\n]\nturns: []\n";
        assert_eq!(lines(rows), (6, vec!["1-6 2-2 3-4".to_owned()]));
    }

    #[test]
    fn what_is_between_two_tests_belongs_to_neither() {
        let file = "x-more: {}\n# all\ntests:\n- name: a\n  turns:\n  - user: |\n      # Title\n\n      text\n  # of a\n\n\
                    # of b\n- name: b\n  turns: []\n\n# end\nx-end:\n  some: thing\n";
        assert_eq!(
            lines(file),
            (18, vec!["4-10".to_owned(), "13-14".to_owned()])
        );
        let more = |line: &str| match line.as_bytes() {
            [b'-' | b' ', ..] => format!("  {line}\n"),
            _ => format!("{line}\n"),
        };
        let indented: String = file.lines().map(more).collect();
        assert_eq!(
            lines(&indented),
            (18, vec!["4-10".to_owned(), "13-14".to_owned()])
        );
    }

    #[test]
    fn a_test_begins_with_its_dash() {
        let file = "tests:\n  -\n    # about\n    name: a\n    cases:\n      - n: 1\n      -\n        n: 2\n  - # about\n    name: b\n\
                    \n  - &c\n    name: c\n";
        let expected = ["2-8 6-6 7-8", "9-10", "12-13"].map(str::to_owned);
        assert_eq!(lines(file), (13, expected.to_vec()));
    }

    #[test]
    fn tests_in_braces_have_the_lines_that_they_are_on() {
        let file = "{ tests: [ { name: a,\n turns: [] }, { name: b },\n\n# c\n { name: c }\n] }\n";
        let expected = ["1-1", "2-2", "5-5"].map(str::to_owned);
        let (count, found) = lines(file);
        assert_eq!((count, found.len()), (6, 3));
        assert_eq!(found, expected);
    }

    #[test]
    fn rows_of_an_alias_are_those_of_no_line() {
        let file = "x-rows: &rows\n  - n: 1\ntests:\n  - name: a\n    cases: *rows\n  - name: b\n    cases:\n    - n: 1\n";
        let (_, found) = lines(file);
        assert!(found[0].starts_with("4-5"), "{found:?}");
        assert_eq!(found[1], "6-8 8-8");
    }
}

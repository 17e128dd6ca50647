//! The tests of one file that passed and have nothing else to say: one line for all of them; in a log one line for all files of a
//! directory that follow each other.
//!
//! **Invariant:** memory does not grow with the tests of a file, nor with the files of a directory.

use crate::report::document::counted;
use crate::report::layout::{Page, Palette, mark};
use crate::report::words::title;
use ananke_base::text::{duration, escape, grouped, truncate};
use ananke_trace::outcome::{Outcome, Status};

/// The place of the line of the tests that passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassedPlace {
    /// Under the path of the file, next to lines of other tests.
    UnderHeading,
    /// On its own: it begins with the path.
    Alone,
}

/// The file whose tests are reported now.
#[derive(Debug)]
pub(super) struct ReportedFile {
    /// Its path, as messages show it.
    file: String,
    /// Whether other tests of it have lines.
    has_lines: bool,
    /// The tests that passed and have no line.
    passed: usize,
    /// The turns of these tests that were not needed.
    not_needed: usize,
    /// The sum of their durations, in microseconds.
    duration_us: u64,
    /// The name of one of them.
    title: String,
    /// The number of tests that have ended, and of all: `[ 3/40]`, in a log.
    index: String,
}

impl ReportedFile {
    /// The file of `outcome`, of which nothing is counted so far.
    pub(super) fn of(outcome: &Outcome) -> Self {
        Self {
            file: outcome.test.file.clone(),
            has_lines: false,
            passed: 0,
            not_needed: 0,
            duration_us: 0,
            title: String::new(),
            index: String::new(),
        }
    }

    /// Whether a test is in this file.
    pub(super) fn contains(&self, outcome: &Outcome) -> bool {
        self.file == outcome.test.file
    }

    /// Its path, as messages show it.
    pub(super) fn path(&self) -> &str {
        &self.file
    }

    /// Notes that one of its tests has a line of its own.
    pub(super) fn note_line(&mut self) {
        self.has_lines = true;
    }

    /// Whether tests of it passed that have no line.
    pub(super) fn has_passed(&self) -> bool {
        self.passed > 0
    }

    /// Counts a test that has no line of its own.
    pub(super) fn add(&mut self, outcome: &Outcome, index: &str) {
        self.passed += 1;
        self.not_needed += outcome.transcript.not_needed();
        let took = outcome.transcript.duration().unwrap_or_default();
        self.duration_us = self.duration_us.saturating_add(took);
        self.title = truncate::bytes(&title(outcome), 200).into_owned();
        index.clone_into(&mut self.index);
    }

    /// Writes what is still to be said of it, when its last test has ended: `✓ a.test.yaml  12 tests  1.2 s`, or below its
    /// heading `✓ 11 more passed  1.2 s`.
    pub(super) fn write_passed(&self, place: PassedPlace, palette: &Palette, page: &mut Page) {
        if !self.has_passed() {
            return;
        }
        let is_headed = place == PassedPlace::UnderHeading;
        page.space(if is_headed { 2 } else { 0 });
        if !self.index.is_empty() {
            page.put(palette.faint, &self.index);
            page.space(1);
        }
        page.sign(0, palette.of(Status::Passed), mark(Status::Passed));
        if !is_headed {
            page.put(palette.strong, &escape::line(&self.file));
        }
        let words = match self.passed {
            passed if self.has_lines => format!("{passed} more passed"),
            // A message of the command line is a file and a test at once.
            1 if self.title == self.file => String::new(),
            1 => escape::line(&self.title).into_owned(),
            passed => format!("{passed} tests"),
        };
        if !words.is_empty() {
            page.space(if is_headed { 0 } else { 2 });
            page.plain(&words);
        }
        put_not_needed(self.not_needed, palette, page);
        page.space(2);
        page.put(palette.faint, &duration::rounded(self.duration_us));
        page.end();
    }
}

/// The files of a directory whose tests passed, in a log.
#[derive(Debug)]
pub(super) struct PassedDirectory {
    /// The last of them.
    last: ReportedFile,
    files: usize,
    tests: usize,
    not_needed: usize,
    duration_us: u64,
}

impl PassedDirectory {
    /// The directory of a file, with the file.
    pub(super) fn of(file: ReportedFile) -> Self {
        Self {
            files: 1,
            tests: file.passed,
            not_needed: file.not_needed,
            duration_us: file.duration_us,
            last: file,
        }
    }

    /// Whether a file is in it.
    pub(super) fn contains(&self, file: &ReportedFile) -> bool {
        directory(&self.last.file) == directory(&file.file)
    }

    /// Adds another file of it.
    pub(super) fn add(&mut self, file: ReportedFile) {
        self.files += 1;
        self.tests += file.passed;
        self.not_needed += file.not_needed;
        self.duration_us = self.duration_us.saturating_add(file.duration_us);
        self.last = file;
    }

    /// Writes its line: `✓ tests/shop  12 files, 80 tests passed  1.2 s`, or that of its only file.
    pub(super) fn write(&self, palette: &Palette, page: &mut Page) {
        if self.files == 1 {
            return self.last.write_passed(PassedPlace::Alone, palette, page);
        }
        if !self.last.index.is_empty() {
            page.put(palette.faint, &self.last.index);
            page.space(1);
        }
        page.sign(0, palette.of(Status::Passed), mark(Status::Passed));
        page.put(palette.strong, &escape::line(directory(&self.last.file)));
        page.space(2);
        let (files, tests) = (grouped(self.files), counted(self.tests, "test"));
        page.plain(&format!("{files} files, {tests} passed"));
        put_not_needed(self.not_needed, palette, page);
        page.space(2);
        page.put(palette.faint, &duration::rounded(self.duration_us));
        page.end();
    }
}

/// Writes how many turns were not needed: the rules on them were not evaluated.
pub(super) fn put_not_needed(turns: usize, palette: &Palette, page: &mut Page) {
    if turns > 0 {
        page.space(2);
        let turns = counted(turns, "turn");
        page.put(palette.faint, &format!("{turns} not needed"));
    }
}

/// The directory of a file; `.` if its path has none.
fn directory(file: &str) -> &str {
    file.rsplit_once('/')
        .map_or(".", |(directory, _)| directory)
}

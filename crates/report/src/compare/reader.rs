//! Reads a report back, test by test: one JSON value or JSON lines, recognised by their content.
//!
//! **Invariant:** a text that is not a report, or only a part of one, is an error with its place; only the summaries of the
//! tests stay in memory.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use serde::Deserialize as _;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error as _, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Deserializer, Error};

use super::report_object::{Object, ReportPart};
use super::run_summary::RunSummary;
use super::test_summary::TestSummary;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::source::reason;
use ananke_base::source::received_json::read_own;

/// The most bytes that one value of a report may have: a line of JSON lines, or a whole file.
const MOST_BYTES: u64 = 1 << 30;

/// The most tests of one report.
const MOST_TESTS: usize = 1_000_000;

/// Reads the report at `path`, which messages call `name`, and gives each of its tests to `take`.
///
/// # Errors
/// If it cannot be read, is not a report, has an unknown format, or is not complete.
pub(crate) fn read(
    path: &Path,
    name: &str,
    take: &mut dyn FnMut(TestSummary),
) -> Result<RunSummary, Diagnostic> {
    let unreadable = |error: &io::Error| {
        Diagnostic::error(
            Code::Unreadable,
            format!("`{name}` cannot be read: {}", reason(error)),
        )
    };
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let left = Cell::new(MOST_BYTES);
    let mut input = BufReader::new(Limited {
        input: file,
        left: &left,
    });
    // A folder is opened like a file, and refuses to be read.
    input.fill_buf().map_err(|error| unreadable(&error))?;
    read_from(input, &|| left.set(MOST_BYTES), take).map_err(
        |ReportError {
             place,
             message,
             help,
         }| {
            let place = place.map(|(line, column)| format!(", line {line}, column {column}"));
            let message = format!("`{name}`{}: {message}", place.unwrap_or_default());
            Diagnostic::error(Code::BadReport, message).help(help)
        },
    )
}

/// Reads the summary of one result line.
pub(crate) fn read_line(line: &str) -> Option<TestSummary> {
    match read_own::<Object>(line.as_bytes()).ok()?.part() {
        Ok(ReportPart::Test(test)) => Some(test),
        _ => None,
    }
}

/// The error in a report, and its place.
#[derive(Debug, PartialEq, Eq)]
struct ReportError {
    /// Line and column, counted from 1.
    place: Option<(usize, usize)>,
    message: String,
    help: &'static str,
}

impl ReportError {
    const WRITE_ONE: &str = "`ananke run -o FILE.json` writes a report that can be compared";
    const RUN_AGAIN: &str =
        "the program was killed before the end of the run, or the file was cut: run it again";
    const AS_LINES: &str = "write JSON lines (`-o FILE.jsonl`), which may be longer";

    fn new(message: impl Into<String>, help: &'static str) -> Self {
        Self {
            place: None,
            message: message.into(),
            help,
        }
    }

    fn of(error: &Error) -> Self {
        let text = error.to_string();
        let message = text
            .rsplit_once(" at line ")
            .map_or(text.as_str(), |(message, _)| message);
        let (message, help) = match error.classify() {
            Category::Io => (message.to_owned(), Self::AS_LINES),
            Category::Syntax => (format!("no JSON: {message}"), Self::WRITE_ONE),
            Category::Data => (message.to_owned(), Self::WRITE_ONE),
            Category::Eof => (
                "the report ends in the middle of a value".to_owned(),
                Self::RUN_AGAIN,
            ),
        };
        let place = (error.line() > 0).then(|| (error.line(), error.column().max(1)));
        Self {
            place,
            message,
            help,
        }
    }
}

/// Reads values until there are no more; `next` is called before each.
fn read_from(
    mut input: impl BufRead,
    next: &dyn Fn(),
    take: &mut dyn FnMut(TestSummary),
) -> Result<RunSummary, ReportError> {
    // What some shells put before redirected output.
    if input
        .fill_buf()
        .is_ok_and(|start| start.starts_with(b"\xef\xbb\xbf"))
    {
        input.consume(3);
    }
    let mut values = Deserializer::from_reader(input);
    let mut reading = PartialReport {
        ids: HashSet::new(),
        whole: None,
        take,
    };
    loop {
        match values.end() {
            Ok(()) => return reading.whole(),
            Err(error) if error.is_io() => return Err(ReportError::of(&error)),
            Err(_) => {}
        }
        next();
        reading
            .deserialize(&mut values)
            .map_err(|error| ReportError::of(&error))?;
    }
}

/// A report so far.
struct PartialReport<'t> {
    ids: HashSet<String>,
    whole: Option<RunSummary>,
    take: &'t mut dyn FnMut(TestSummary),
}

impl PartialReport<'_> {
    fn add(&mut self, part: ReportPart) -> Result<(), String> {
        if self.whole.is_some() && !matches!(part, ReportPart::Unknown) {
            return Err(
                "the file continues after the end of a report: a report is of one run".to_owned(),
            );
        }
        match part {
            ReportPart::Test(test) => self.test(test),
            ReportPart::Summary(whole) => {
                self.whole = Some(whole);
                Ok(())
            }
            ReportPart::Report(tests, whole) => {
                self.whole = Some(whole);
                tests.into_iter().try_for_each(|test| self.test(test))
            }
            ReportPart::Unknown => Ok(()),
        }
    }

    fn test(&mut self, test: TestSummary) -> Result<(), String> {
        if self.ids.len() >= MOST_TESTS {
            return Err(format!("more than {MOST_TESTS} results"));
        }
        if !self.ids.insert(test.id.clone()) {
            return Err(format!(
                "a second result of the test `{}`; a report is of one run",
                test.id
            ));
        }
        (self.take)(test);
        Ok(())
    }

    /// The summary of the run, once everything is read.
    fn whole(self) -> Result<RunSummary, ReportError> {
        let results = match self.ids.len() {
            1 => "1 result".to_owned(),
            message => format!("{message} results"),
        };
        match self.whole {
            Some(whole) if whole.total == self.ids.len() => Ok(whole),
            Some(RunSummary { total, .. }) => {
                let message = format!("the summary counts {total}, and the report has {results}");
                Err(ReportError::new(
                    message,
                    "compare a report as it was written",
                ))
            }
            None if self.ids.is_empty() => Err(ReportError::new(
                "there is no report in it",
                ReportError::WRITE_ONE,
            )),
            None => Err(ReportError::new(
                format!("the summary is missing behind {results}"),
                ReportError::RUN_AGAIN,
            )),
        }
    }
}

/// Takes the next value. What is wrong with it is found while the place is still known.
impl<'de> DeserializeSeed<'de> for &mut PartialReport<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut PartialReport<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of a report")
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<(), A::Error> {
        let object = Object::deserialize(MapAccessDeserializer::new(entries))?;
        object
            .part()
            .and_then(|part| self.add(part))
            .map_err(A::Error::custom)
    }
}

/// A reader that gives up on a value without end.
struct Limited<'l, R> {
    input: R,
    /// The number of bytes that the value that is being read may still have.
    left: &'l Cell<u64>,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        let left = self.left.get().checked_sub(count as u64);
        self.left.set(left.ok_or_else(|| {
            io::Error::other(format!("a value of over {} GiB", MOST_BYTES >> 30))
        })?);
        Ok(count)
    }
}

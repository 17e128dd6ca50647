//! Reads a report back, test by test: a whole file or JSON lines, told apart by what they hold.
//!
//! **Invariant:** a text that is no report, or only a part of one, is an error that says where; of a report only
//! digests stay in memory.

use std::cell::Cell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use serde::Deserialize as _;
use serde_json::error::Category;
use serde_json::{Deserializer, Error};

use super::digest::{Digest, Object, Part, Whole};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::reason;

/// The most bytes that one value of a report may have: a line of JSON lines, or a whole file.
const MOST_BYTES: u64 = 1 << 30;

/// The most tests that one report may tell of.
const MOST_TESTS: usize = 1_000_000;

/// Reads the report at `path`, which messages call `name`, and gives each of its tests to `take`.
///
/// # Errors
/// Where it cannot be read, is no report, is one of a format that is not known, or is not whole.
pub(super) fn read(path: &Path, name: &str, take: &mut dyn FnMut(Digest)) -> Result<Whole, Diagnostic> {
    let unreadable = |error: &io::Error| {
        Diagnostic::error(Code::Unreadable, format!("`{name}` cannot be read: {}", reason(error)))
    };
    let mut file = BufReader::new(File::open(path).map_err(|error| unreadable(&error))?);
    // A folder is opened like a file, and refuses to be read.
    file.fill_buf().map_err(|error| unreadable(&error))?;
    read_from(file, MOST_BYTES, take).map_err(|Bad { place, message, help }| {
        let place = match place {
            None => String::new(),
            Some((line, None)) => format!(", line {line}"),
            Some((line, Some(column))) => format!(", line {line}, column {column}"),
        };
        let message = format!("`{name}`{place}: {message}");
        Diagnostic::error(Code::BadReport, message).help(help)
    })
}

/// Reads the digest of one result.
pub(super) fn read_line(line: &str) -> Option<Digest> {
    match serde_json::from_str::<Object>(line).ok()?.part() {
        Ok(Part::Test(digest)) => Some(digest),
        _ => None,
    }
}

/// What is wrong with a report.
#[derive(Debug, PartialEq, Eq)]
struct Bad {
    /// The line, and where it is known the column, counted from 1.
    place: Option<(usize, Option<usize>)>,
    message: String,
    help: &'static str,
}

impl Bad {
    const WRITE_ONE: &str = "`ananke run -o FILE.json` writes a report that can be compared";
    const RUN_AGAIN: &str =
        "the program was killed before the end of the run, or the file was cut: run it again";

    fn new(message: impl Into<String>, help: &'static str) -> Self {
        Self { place: None, message: message.into(), help }
    }

    fn of(error: &Error) -> Self {
        let text = error.to_string();
        let told = text.rsplit_once(" at line ").map_or(text.as_str(), |(told, _)| told);
        let (message, help) = match error.classify() {
            Category::Io => (told.to_owned(), "write JSON lines (`-o FILE.jsonl`), which may be longer"),
            Category::Syntax => (format!("no JSON: {told}"), Self::WRITE_ONE),
            Category::Data => (told.to_owned(), Self::WRITE_ONE),
            Category::Eof => ("the report ends in the middle of a value".to_owned(), Self::RUN_AGAIN),
        };
        let place = (error.line() > 0).then(|| (error.line(), Some(error.column())));
        Self { place, message, help }
    }
}

fn read_from(mut input: impl BufRead, most_bytes: u64, take: &mut dyn FnMut(Digest)) -> Result<Whole, Bad> {
    // What some shells put before redirected output.
    if input.fill_buf().is_ok_and(|start| start.starts_with(b"\xef\xbb\xbf")) {
        input.consume(3);
    }
    let meter = Rc::new(Meter { left: Cell::new(most_bytes), line: Cell::new(1) });
    let mut values = Deserializer::from_reader(Metered { input, meter: Rc::clone(&meter) });
    let mut reading = Reading { ids: HashSet::new(), whole: None, take };
    loop {
        match values.end() {
            Ok(()) => return reading.whole(),
            Err(error) if error.is_io() => return Err(Bad::of(&error)),
            Err(_) => {}
        }
        meter.left.set(most_bytes);
        let object = Object::deserialize(&mut values).map_err(|error| Bad::of(&error))?;
        let part = object.part().map_err(|message| Bad::new(message, Bad::WRITE_ONE));
        let added = part.and_then(|part| reading.add(part));
        added.map_err(|bad| Bad { place: Some((meter.line.get(), None)), ..bad })?;
    }
}

/// A report so far.
struct Reading<'t> {
    ids: HashSet<String>,
    whole: Option<Whole>,
    take: &'t mut dyn FnMut(Digest),
}

impl Reading<'_> {
    fn add(&mut self, part: Part) -> Result<(), Bad> {
        if self.whole.is_some() && !matches!(part, Part::Unknown) {
            let help = "compare the reports of two runs: name one file for each";
            return Err(Bad::new("the file goes on behind the end of a report", help));
        }
        match part {
            Part::Test(digest) => self.test(digest),
            Part::Summary(whole) => {
                self.whole = Some(whole);
                Ok(())
            }
            Part::Report(tests, whole) => {
                self.whole = Some(whole);
                tests.into_iter().try_for_each(|digest| self.test(digest))
            }
            Part::Unknown => Ok(()),
        }
    }

    fn test(&mut self, digest: Digest) -> Result<(), Bad> {
        if self.ids.len() >= MOST_TESTS {
            return Err(Bad::new(format!("more than {MOST_TESTS} tests"), "compare parts of it"));
        }
        if !self.ids.insert(digest.id.clone()) {
            let message = format!("two results of the test `{}`", digest.id);
            return Err(Bad::new(
                message,
                "a report is of one run, in which every test has an id of its own",
            ));
        }
        (self.take)(digest);
        Ok(())
    }

    /// What the report says of its run, once everything is read.
    fn whole(self) -> Result<Whole, Bad> {
        let told = self.ids.len();
        match self.whole {
            Some(whole) if whole.total == told => Ok(whole),
            Some(Whole { total, .. }) => {
                let message = format!("the summary counts {total} tests, and there are {told} results");
                Err(Bad::new(message, "compare the report as it was written"))
            }
            None if told == 0 => Err(Bad::new("the file is empty", Bad::WRITE_ONE)),
            None => {
                let message = format!("the summary is missing, behind {told} results");
                Err(Bad::new(message, Bad::RUN_AGAIN))
            }
        }
    }
}

/// How far a reader is.
struct Meter {
    /// How many bytes the value that is being read may still have.
    left: Cell<u64>,
    /// The line, counted from 1.
    line: Cell<usize>,
}

/// A reader that knows its line, and gives up on a value without end.
struct Metered<R> {
    input: R,
    meter: Rc<Meter>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.meter.line.update(|line| line + memchr::memchr_iter(b'\n', &buffer[..count]).count());
        match self.meter.left.get().checked_sub(count as u64) {
            Some(left) => {
                self.meter.left.set(left);
                Ok(count)
            }
            None => Err(io::Error::other("a value without end")),
        }
    }
}

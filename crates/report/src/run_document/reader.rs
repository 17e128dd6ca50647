//! Reads a document of a run back, test by test: one JSON value or JSON lines, recognised by their content.
//!
//! **Invariant:** a text that is not a report, or only a part of one, is an error with its place; a result whose verdict does not
//! follow from it is one as well; one test at a time is in memory.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Deserializer, Error};

use super::entries::{ObjectEntries, without_place};
use super::{ResultLine, RunHead, SummaryLine, format_version::FormatVersion};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::source::reason;
use ananke_trace::outcome::{Outcome, RunFacts};

/// The most bytes that one value of a report may have: a line of JSON lines, or a whole file.
const MOST_BYTES: u64 = 1 << 30;

/// The most tests of one report.
const MOST_TESTS: usize = 1_000_000;

/// Reads the report at `path`, which messages call `name`, and gives each of its tests to `take`.
///
/// # Errors
/// If it cannot be read, is not a report, has an unknown format, or is not complete.
pub fn read_document(
    path: &Path,
    name: &str,
    take: &mut dyn FnMut(Outcome),
) -> Result<RunHead, Diagnostic> {
    read_results(path, name, &mut |line: ResultLine<'_>| {
        take(outcome(line)?);
        Ok(())
    })
}

/// A result, as much of it as is read.
pub(super) trait ReadResult: DeserializeOwned {
    /// The test's id.
    fn id(&self) -> &str;
}

impl ReadResult for ResultLine<'static> {
    fn id(&self) -> &str {
        &self.id
    }
}

/// The id of a test alone.
#[derive(Deserialize)]
pub(super) struct ResultId {
    pub(super) id: String,
}

impl ReadResult for ResultId {
    fn id(&self) -> &str {
        &self.id
    }
}

/// The same, of which only `R` is read of each result. `take` may end the reading.
pub(super) fn read_results<R: ReadResult>(
    path: &Path,
    name: &str,
    take: &mut dyn FnMut(R) -> Result<(), String>,
) -> Result<RunHead, Diagnostic> {
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
    let start = input.fill_buf().map_err(|error| unreadable(&error))?;
    if start.trim_ascii_start().starts_with(b"<") {
        let message = format!("`{name}` is HTML or XML, and only a JSON report can be read again");
        return Err(Diagnostic::error(Code::BadReport, message).help(ReportError::WRITE_ONE));
    }
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

/// Reads one result.
///
/// # Errors
/// If it is not one, or its verdict does not follow from it.
pub(crate) fn read_result(line: &str) -> Result<Outcome, String> {
    let line: ResultLine<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    outcome(line)
}

/// Reads the last line of a document in lines.
///
/// # Errors
/// If it is not one.
pub(crate) fn read_summary(line: &str) -> Result<RunHead, String> {
    /// The facts of the run in its last line.
    #[derive(Deserialize)]
    struct SummaryFacts {
        run: RunFacts,
    }
    let facts: SummaryFacts = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let summary: SummaryLine<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    Ok(RunHead::of(Some(facts.run), &summary))
}

pub(super) fn outcome(line: ResultLine<'_>) -> Result<Outcome, String> {
    let status = line.status;
    let outcome = Outcome::from(line);
    let own = outcome.status();
    if own == status {
        return Ok(outcome);
    }
    Err(format!(
        "the status of the test `{}` is `{}`, but what follows in its result makes it `{}`",
        outcome.test.id,
        status.as_str(),
        own.as_str()
    ))
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
    const WRITE_ONE: &str = "`ananke run -o FILE.json` writes a report that can be read again";
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
        let missing = message.strip_prefix("missing field ");
        let (message, help) = match error.classify() {
            Category::Data if missing.is_some() => {
                let message = format!("no {}, which every report has", missing.unwrap_or_default());
                (message, Self::WRITE_ONE)
            }
            Category::Io => (message.to_owned(), Self::AS_LINES),
            // Also of a number where a word is expected.
            Category::Syntax if message == "expected value" => (
                "neither JSON nor what a report has here".to_owned(),
                Self::WRITE_ONE,
            ),
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
fn read_from<R: ReadResult>(
    mut input: impl BufRead,
    next: &dyn Fn(),
    take: &mut dyn FnMut(R) -> Result<(), String>,
) -> Result<RunHead, ReportError> {
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
struct PartialReport<'t, R> {
    ids: HashSet<String>,
    whole: Option<RunHead>,
    take: &'t mut dyn FnMut(R) -> Result<(), String>,
}

impl<R: ReadResult> PartialReport<'_, R> {
    fn begin(&self) -> Result<(), String> {
        if self.whole.is_some() {
            return Err(
                "the file continues after the end of a report: a report is of one run".to_owned(),
            );
        }
        Ok(())
    }

    fn test(&mut self, line: R) -> Result<(), String> {
        self.begin()?;
        if self.ids.len() >= MOST_TESTS {
            return Err(format!("more than {MOST_TESTS} results"));
        }
        if !self.ids.insert(line.id().to_owned()) {
            return Err(format!(
                "a second result of the test `{}`; a report is of one run",
                line.id()
            ));
        }
        (self.take)(line)
    }

    fn head(&mut self, facts: Option<RunFacts>, summary: &SummaryLine<'_>) -> Result<(), String> {
        self.begin()?;
        self.whole = Some(RunHead::of(facts, summary));
        Ok(())
    }

    /// Takes an object whose entries were read before it was known what it is; `results` were among them or not.
    fn entries<E: serde::de::Error>(
        &mut self,
        entries: &ObjectEntries,
        results: ReportResults,
    ) -> Result<(), E> {
        let inner = |error: Error| E::custom(without_place(&error));
        match entries.kind().as_deref() {
            Some("result") => {
                let line = entries.read().map_err(inner)?;
                self.test(line).map_err(E::custom)
            }
            Some("summary") => {
                let summary: SummaryLine<'_> = entries.read().map_err(inner)?;
                self.head(entries.field("run").map_err(inner)?, &summary)
                    .map_err(E::custom)
            }
            // A kind of line that a later version added.
            Some(_) => Ok(()),
            None => {
                let version: Option<FormatVersion> = entries.field("version").map_err(inner)?;
                if version.is_none() {
                    return Err(E::missing_field("version"));
                }
                if results == ReportResults::Absent {
                    return Err(E::custom(
                        "neither a `type` nor `results`, one of which every report has",
                    ));
                }
                let summary: Option<SummaryLine<'_>> = entries.field("summary").map_err(inner)?;
                let summary = summary.ok_or_else(|| E::custom("results without a `summary`"))?;
                self.head(entries.field("run").map_err(inner)?, &summary)
                    .map_err(E::custom)
            }
        }
    }

    /// The summary of the run, once everything is read.
    fn whole(self) -> Result<RunHead, ReportError> {
        let results = match self.ids.len() {
            1 => "1 result".to_owned(),
            message => format!("{message} results"),
        };
        match self.whole {
            Some(whole) if whole.total == self.ids.len() => Ok(whole),
            Some(RunHead { total, .. }) => {
                let message = format!("the summary counts {total}, and the report has {results}");
                Err(ReportError::new(message, "name a report as it was written"))
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

/// Whether an object had results, which were taken as they came.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReportResults {
    Taken,
    Absent,
}

/// Takes the next value. What is wrong with it is found while the place is still known.
impl<'de, R: ReadResult> DeserializeSeed<'de> for &mut PartialReport<'_, R> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, R: ReadResult> Visitor<'de> for &mut PartialReport<'_, R> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of a report")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut entries = ObjectEntries::default();
        let mut results = ReportResults::Absent;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "type" if entries.is_empty() => {
                    let kind: Box<RawValue> = map.next_value()?;
                    if kind.get() == "\"result\"" {
                        // At once: what is wrong with it has its place.
                        let line = R::deserialize(MapAccessDeserializer::new(map))?;
                        return self.test(line).map_err(A::Error::custom);
                    }
                    entries.add(key, kind);
                }
                "results" => {
                    map.next_value_seed(Results(&mut *self))?;
                    results = ReportResults::Taken;
                }
                _ => entries.add(key, map.next_value()?),
            }
        }
        self.entries(&entries, results)
    }
}

/// Takes the results of a report one by one.
struct Results<'r, 't, R>(&'r mut PartialReport<'t, R>);

impl<'de, R: ReadResult> DeserializeSeed<'de> for Results<'_, '_, R> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, R: ReadResult> Visitor<'de> for Results<'_, '_, R> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("results")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut results: A) -> Result<(), A::Error> {
        while let Some(line) = results.next_element::<R>()? {
            self.0.test(line).map_err(A::Error::custom)?;
        }
        Ok(())
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

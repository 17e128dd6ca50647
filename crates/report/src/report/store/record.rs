//! The format of a kept run: lines of JSON, each readable by itself. The first is the heading; then each record is a line
//! that says what follows and how long it is, and its body; the last record is the index, and the last line says where
//! that is.

use std::io::{self, BufRead, Read as _};

use serde::{Deserialize, Serialize};

use crate::report::file::FileOptions;
use ananke_base::context::fingerprint;
use ananke_trace::outcome::{Outcome, RunFacts, Status};

/// The version of the format.
pub(super) const VERSION: &str = "1.1";

/// The largest length of a line that describes the data after it, in bytes.
pub(super) const LONGEST_LINE: u64 = 8 << 20;

/// The length of the last line, in bytes, with its end.
pub(super) const TRAILER: u64 = 33;

/// The first line.
#[derive(Serialize, Deserialize)]
pub(super) struct FirstLine {
    pub(super) kept_run: RunHeading,
}

/// The beginning of a run, its selection and its facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHeading {
    /// The version of the format.
    pub version: String,
    /// The version of the program.
    pub ananke: String,
    /// The directory of the config.
    pub project: String,
    /// The moment at which it began, in Unix milliseconds.
    pub started_unix_ms: u64,
    /// The number of tests that were selected.
    pub tests: usize,
    /// The facts of it that reports contain, masked.
    pub facts: RunFacts,
    /// The way in which it writes its report files.
    pub files: FileOptions,
}

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RecordKind {
    /// The data that was received in one attempt at a test.
    Recording,
    /// The outcome of a test.
    Outcome,
    /// The last line of the document of the run.
    Summary,
    /// The places of all records.
    Index,
}

/// The line before the body of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordHead {
    pub(super) record: RecordKind,
    /// The id of the test; empty for what is of the whole run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) id: String,
    /// The number of the run of the test, or of the attempt, counted from 1; 0 if it is not one attempt.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) run: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) attempt: u32,
    /// The length of the body, without the end of its last line.
    pub(super) bytes: u64,
    /// A hash of the body.
    pub(super) hash: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "a predicate of serde")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A test of a kept run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptTest {
    /// Its id.
    pub id: String,
    /// Its name, with what its row is called.
    pub name: String,
    /// Its file, as messages showed it.
    pub file: String,
    /// Its file from the config's directory.
    pub path: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// The status with which it ended.
    pub status: Status,
    /// Whether the run failed because of it.
    pub fails_the_run: bool,
    /// Its number among those because of which the run failed, in the order in which they were printed; from 1.
    #[serde(default)]
    pub number: Option<usize>,
    /// The place of its outcome.
    pub(super) at: u64,
    /// The last attempt of each of its runs that was kept, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) recordings: Vec<KeptAttempt>,
    /// The reason that its recordings are not kept, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) not_kept: Option<String>,
}

/// The place of an attempt's recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptAttempt {
    pub(super) run: u32,
    pub(super) at: u64,
}

impl KeptTest {
    /// The entry of the test that came to `outcome`, whose record is at `at`; with its number if the run fails for it.
    pub(super) fn of(outcome: &Outcome, at: u64, number: Option<usize>) -> Self {
        let test = &outcome.test;
        let row = test.row.as_ref().map(|row| format!("[{row}]"));
        Self {
            id: test.id.clone(),
            name: test.name.clone() + &row.unwrap_or_default(),
            file: test.file.clone(),
            path: test.path.clone(),
            line: test.line,
            status: outcome.status(),
            fails_the_run: outcome.fails_the_run(),
            number,
            at,
            recordings: Vec::new(),
            not_kept: None,
        }
    }

    /// Whether it was skipped, and so shows nothing.
    pub fn is_skipped(&self) -> bool {
        self.status == Status::Skipped
    }
}

/// The places of all records of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunIndex {
    /// The place of the summary of the run.
    pub(super) summary: Option<u64>,
    /// Its tests, in the order in which it reported them.
    pub(super) tests: Vec<KeptTest>,
}

/// A record as it is in the file.
pub(super) fn record(kind: RecordKind, id: &str, of: (u32, u32), body: &str) -> String {
    let head = RecordHead {
        record: kind,
        id: id.to_owned(),
        run: of.0,
        attempt: of.1,
        bytes: body.len() as u64,
        hash: fingerprint(body.as_bytes()),
    };
    // It has texts and numbers only.
    let head = serde_json::to_string(&head).unwrap_or_default();
    format!("{head}\n{body}\n")
}

/// The last line: where the index is.
pub(super) fn trailer(index_at: u64) -> String {
    format!("{{\"index\":\"{index_at:020}\"}}\n")
}

/// The place of the index, as the last line gives it.
pub(super) fn index_of(trailer: &str) -> Option<u64> {
    let digits = trailer
        .strip_prefix("{\"index\":\"")?
        .strip_suffix("\"}\n")?;
    digits.parse().ok()
}

/// The next line, without its end; `None` if it is not whole.
pub(super) fn next_line(file: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    file.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    Ok((line.pop() == Some(b'\n')).then_some(line))
}

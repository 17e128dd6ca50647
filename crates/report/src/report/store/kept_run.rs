//! A kept run, read by its index: only what is asked for is read of its file.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;

use super::record::{
    FirstLine, KeptAttempt, RecordHead, RecordKind, RunIndex, TRAILER, VERSION, index_of, next_line,
};
use super::{KeptTest, RunHeading, run_files::MOST_BYTES};
use crate::run_document::{RunHead, read_result, read_summary};
use ananke_base::context::fingerprint;
use ananke_base::source::reason;
use ananke_recording::KeptRecording;
use ananke_trace::outcome::Outcome;

/// The reason that a kept run cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptRunError {
    /// The file cannot be read.
    Unreadable(String),
    /// It is not a kept run.
    Foreign,
    /// Another version of the program wrote it.
    OtherVersion(String),
    /// A part of it is not as it was written.
    Changed,
    /// There is nothing to be read, for this reason.
    NotKept(String),
}

impl fmt::Display for KeptRunError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(formatter, "cannot be read: {why}"),
            Self::Foreign => write!(formatter, "is not a kept run"),
            Self::OtherVersion(version) => write!(
                formatter,
                "was kept by ananke {version}, and ananke {} cannot read it",
                env!("CARGO_PKG_VERSION")
            ),
            Self::Changed => write!(formatter, "was changed after the run"),
            Self::NotKept(why) => write!(formatter, "{why}"),
        }
    }
}

impl From<io::Error> for KeptRunError {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(reason(&error).to_owned())
    }
}

/// A kept run.
#[derive(Debug)]
pub struct KeptRun {
    /// The heading of the run, which was written before it began.
    pub heading: RunHeading,
    /// What its document says of it as a whole.
    pub head: RunHead,
    /// Its tests, in the order of the run.
    pub tests: Vec<KeptTest>,
    /// Whether its file ends in the middle: tests may be missing.
    pub is_truncated: bool,
    /// The file, as shown in messages.
    pub shown: String,
    file: Mutex<BufReader<File>>,
}

impl KeptRun {
    /// The run in the file at `path`, which messages call `shown`.
    ///
    /// # Errors
    /// If it is not a kept run, or one that this program cannot read.
    pub fn open(path: &Path, shown: &str) -> Result<Self, KeptRunError> {
        // A pipe would wait for its writer.
        let found = path.metadata()?;
        if !found.is_file() {
            return Err(KeptRunError::Foreign);
        }
        let mut file = BufReader::new(File::open(path)?);
        let first = next_line(&mut file)?.ok_or(KeptRunError::Foreign)?;
        let heading = heading(&first)?;
        let records_at = first.len() as u64 + 1;
        let found = index(&mut file, found.len());
        let is_truncated = found.is_none();
        let RunIndex { summary, tests } = match found {
            Some(index) => index,
            None => scanned(&mut file, records_at)?,
        };
        let head = match summary {
            Some(at) => head(&mut file, at)?,
            None => RunHead {
                facts: heading.facts.clone(),
                selected: heading.tests,
                started_unix_ms: heading.started_unix_ms,
                ..RunHead::default()
            },
        };
        Ok(Self {
            heading,
            head,
            tests,
            is_truncated,
            shown: shown.to_owned(),
            file: Mutex::new(file),
        })
    }

    /// The tests because of which the run failed, in the order in which they were printed: the first is number 1.
    pub fn failures(&self) -> Vec<&KeptTest> {
        let mut failures: Vec<&KeptTest> = self
            .tests
            .iter()
            .filter(|test| test.fails_the_run)
            .collect();
        failures.sort_by_key(|test| test.number.unwrap_or(usize::MAX));
        failures
    }

    /// The outcome of `test`, which is one of its tests.
    ///
    /// # Errors
    /// If it is not as it was written.
    pub fn outcome(&self, test: &KeptTest) -> Result<Outcome, KeptRunError> {
        let (head, body) = self.record(test.at)?;
        if head.record != RecordKind::Outcome || head.id != test.id {
            return Err(KeptRunError::Changed);
        }
        read_result(&body).map_err(|_| KeptRunError::Changed)
    }

    /// The recording of the last attempt of the run `run`, counted from 1, of `test`.
    ///
    /// # Errors
    /// If nothing of it is kept, or it is not as it was written.
    pub fn recording(&self, test: &KeptTest, run: u32) -> Result<Arc<KeptRecording>, KeptRunError> {
        if let Some(why) = &test.not_kept {
            return Err(KeptRunError::NotKept(why.clone()));
        }
        let attempt = test.recordings.iter().find(|attempt| attempt.run == run);
        let Some(attempt) = attempt else {
            let why = match run {
                1 => "nothing that its agent sent is kept".to_owned(),
                run => format!("its run {run} was not made"),
            };
            return Err(KeptRunError::NotKept(why));
        };
        let (head, body) = self.record(attempt.at)?;
        if head.record != RecordKind::Recording || head.id != test.id || head.run != run {
            return Err(KeptRunError::Changed);
        }
        let recording = KeptRecording::read(&body, &self.shown);
        recording.map(Arc::new).map_err(|_| KeptRunError::Changed)
    }

    fn record(&self, at: u64) -> Result<(RecordHead, String), KeptRunError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        read_record(&mut file)?.ok_or(KeptRunError::Changed)
    }
}

/// The head of the run by its summary, whose record is at `at`.
fn head(file: &mut BufReader<File>, at: u64) -> Result<RunHead, KeptRunError> {
    file.seek(SeekFrom::Start(at))?;
    let (head, body) = read_record(file)?.ok_or(KeptRunError::Changed)?;
    if head.record != RecordKind::Summary {
        return Err(KeptRunError::Changed);
    }
    read_summary(&body).map_err(|_| KeptRunError::Changed)
}

fn heading(line: &[u8]) -> Result<RunHeading, KeptRunError> {
    /// The fields that every version has.
    #[derive(Deserialize)]
    struct Known {
        kept_run: KnownHeading,
    }
    #[derive(Deserialize)]
    struct KnownHeading {
        version: String,
        ananke: String,
    }
    let Known { kept_run } = serde_json::from_slice(line).map_err(|_| KeptRunError::Foreign)?;
    if kept_run.version != VERSION || kept_run.ananke != env!("CARGO_PKG_VERSION") {
        return Err(KeptRunError::OtherVersion(kept_run.ananke));
    }
    let first: FirstLine = serde_json::from_slice(line).map_err(|_| KeptRunError::Changed)?;
    Ok(first.kept_run)
}

/// The index, by the last line of the file, which has so many bytes; `None` if there is none, or it is not as it was written.
fn index(file: &mut BufReader<File>, length: u64) -> Option<RunIndex> {
    file.seek(SeekFrom::Start(length.checked_sub(TRAILER)?))
        .ok()?;
    let mut trailer = String::new();
    file.by_ref()
        .take(TRAILER)
        .read_to_string(&mut trailer)
        .ok()?;
    file.seek(SeekFrom::Start(index_of(&trailer)?)).ok()?;
    let (head, body) = read_record(file).ok()??;
    let is_index = head.record == RecordKind::Index;
    serde_json::from_str(&body).ok().filter(|_| is_index)
}

/// The next record; `None` if it is not whole, or not as it was written.
fn read_record(file: &mut BufReader<File>) -> Result<Option<(RecordHead, String)>, KeptRunError> {
    let Some(line) = next_line(file)? else {
        return Ok(None);
    };
    let Ok(head) = serde_json::from_slice::<RecordHead>(&line) else {
        return Ok(None);
    };
    if head.bytes > MOST_BYTES {
        return Ok(None);
    }
    let mut body = Vec::new();
    file.by_ref().take(head.bytes + 1).read_to_end(&mut body)?;
    let is_whole = body.len() as u64 == head.bytes + 1 && body.pop() == Some(b'\n');
    let body = String::from_utf8(body).ok().filter(|_| is_whole);
    let body = body.filter(|body| fingerprint(body.as_bytes()) == head.hash);
    Ok(body.map(|body| (head, body)))
}

/// The index that the records from the byte `at` on show, as far as they go.
fn scanned(file: &mut BufReader<File>, mut at: u64) -> Result<RunIndex, KeptRunError> {
    let mut index = RunIndex::default();
    let mut recordings: Vec<(String, KeptAttempt)> = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    while let Some((head, body)) = read_record(file)? {
        match head.record {
            RecordKind::Recording => {
                let kept = KeptAttempt { run: head.run, at };
                recordings.push((head.id, kept));
            }
            RecordKind::Outcome => {
                let Ok(outcome) = read_result(&body) else {
                    return Ok(index);
                };
                let mut test = KeptTest::of(&outcome, at, None);
                for (_, kept) in recordings.extract_if(.., |(id, _)| *id == test.id) {
                    test.recordings.retain(|before| before.run != kept.run);
                    test.recordings.push(kept);
                }
                index.tests.push(test);
            }
            RecordKind::Summary => index.summary = Some(at),
            RecordKind::Index => return Ok(index),
        }
        at = file.stream_position()?;
        if file.fill_buf()?.is_empty() {
            break;
        }
    }
    Ok(index)
}

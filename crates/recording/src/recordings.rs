//! The folder of recordings, and what is done with them.
//!
//! Flows in: the key of an attempt. Flows out: what replays its recording, where there is one.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::recording_limits::RecordingLimits;
use super::replay::{Replay, problem};
use super::request_match::RequestMatch;
use super::{file, name};
use ananke_base::context::{CaseKey, Scratch, write_file};
use ananke_trace::outcome::Problem;
use ananke_trace::redact::Redactor;

/// The place of recordings, and their mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recordings {
    /// Their folder.
    pub folder: PathBuf,
    /// The folder, as shown in messages.
    pub shown: String,
    /// The way in which they are used.
    pub mode: RecordingMode,
    /// The similarity to a recorded request that a replayed one must have.
    pub requests: RequestMatch,
    /// The limits of the size of one.
    pub limits: RecordingLimits,
}

/// The ways in which recordings are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingMode {
    /// Every test is run and recorded, over what is there.
    Record,
    /// Every test is replayed; one without a recording is an error.
    Replay,
    /// A test that has a recording is replayed, and any other is recorded.
    RecordMissing,
}

/// The text of a file; `None` if it has more bytes. A pipe is refused: to open it could take forever.
pub(super) fn bounded(path: &Path, most: u64) -> io::Result<Option<String>> {
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut text = String::new();
    let read = fs::File::open(path)?
        .take(most + 1)
        .read_to_string(&mut text)?;
    Ok((read as u64 <= most).then_some(text))
}

impl Recordings {
    /// A replay of the recording of `key`; `None` if there is none.
    pub(super) fn read(
        &self,
        key: &CaseKey,
        redactor: &Redactor,
    ) -> Result<Option<Replay>, Problem> {
        match bounded(&name::path(&self.folder, key), self.limits.bytes) {
            Ok(Some(text)) => match self.limits.exceeded_by(&text) {
                Some(excess) => Err(self.unusable(key, &excess)),
                None => self.replay(key, &text, redactor).map(Some),
            },
            Ok(None) => Err(self.unusable(key, &self.limits.too_large())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.unusable(key, &format!("cannot be read: {error}"))),
        }
    }

    /// A replay of the recording `text` of `key`.
    pub(super) fn replay(
        &self,
        key: &CaseKey,
        text: &str,
        redactor: &Redactor,
    ) -> Result<Replay, Problem> {
        let recorded =
            file::read(key, text).map_err(|file::RecordingError { line, message }| {
                self.unusable(key, &format!("cannot be replayed: line {line}: {message}"))
            })?;
        Ok(Replay::new(
            recorded,
            self.shown(key),
            self.requests,
            redactor.clone(),
        ))
    }

    fn unusable(&self, key: &CaseKey, why: &str) -> Problem {
        let message = format!("the recording `{}` {why}", self.shown(key));
        problem(message, Some("record the test again with `--record`"))
    }

    /// Checks, before any test runs, that a recording of the first attempt at each of `tests`, which are ids, can be written.
    ///
    /// # Errors
    /// The file that cannot be written, and the reason.
    pub fn check_writable<'a>(
        &self,
        tests: impl Iterator<Item = Cow<'a, str>>,
    ) -> Result<(), String> {
        let folder = Scratch::beside(&self.folder.join("recording"), "part");
        folder.map_err(|error| format!("cannot record into `{}`: {error}", self.shown))?;
        let mut swept = BTreeSet::new();
        for id in tests {
            let key = CaseKey::first(id);
            let path = name::path(&self.folder, &key);
            if let Some(folder) = path.parent().filter(|folder| !swept.contains(*folder)) {
                Scratch::sweep(folder);
                swept.insert(folder.to_owned());
            }
            let existing = path
                .ancestors()
                .find_map(|path| Some((path, path.metadata().ok()?)));
            let why = match existing {
                Some((found, metadata)) if found == path && !metadata.is_file() => {
                    "it is not a file".to_owned()
                }
                Some((found, metadata)) if found != path && !metadata.is_dir() => {
                    format!(
                        "`{}` is not a directory",
                        found.file_name().unwrap_or_default().display()
                    )
                }
                _ => continue,
            };
            return Err(format!(
                "cannot write the recording `{}`: {why}",
                self.shown(&key)
            ));
        }
        Ok(())
    }

    /// Writes the recording `text` of `key`, over an older one, and says where, as shown in messages.
    ///
    /// # Errors
    /// If it is too large or cannot be written.
    pub fn write(&self, key: &CaseKey, text: &str) -> Result<String, Problem> {
        let shown = self.shown(key);
        if let Some(excess) = self.limits.exceeded_by(text) {
            let message = format!("it was not recorded: the recording {excess}");
            return Err(problem(
                message,
                Some("record fewer turns, or an agent that says less"),
            ));
        }
        write_file(&name::path(&self.folder, key), text.as_bytes()).map_err(|error| {
            let message = format!("the recording `{shown}` cannot be written: {error}");
            problem(message, Some("is the directory of recordings writable?"))
        })?;
        Ok(shown)
    }

    /// Whether there is a recording of the first attempt at the test `id`.
    pub fn has(&self, id: &str) -> bool {
        name::path(&self.folder, &CaseKey::first(id)).is_file()
    }

    pub(super) fn missing(&self, key: &CaseKey) -> Problem {
        let what = match (key.run, key.attempt) {
            (1, 1) => "test".to_owned(),
            (1, attempt) => format!("test's attempt {attempt}"),
            (run, attempt) => format!("test's run {run}, attempt {attempt}"),
        };
        let message = format!(
            "there is no recording of this {what}: `{}` does not exist",
            self.shown(key)
        );
        let folder = &self.shown;
        let help = format!(
            "record it with `--record {folder}`, or what is missing with `--record-missing`"
        );
        problem(message, Some(&help))
    }

    /// The file of `key`, as shown in messages.
    pub(super) fn shown(&self, key: &CaseKey) -> String {
        let path = name::path(Path::new(&self.shown), key);
        path.to_string_lossy().replace('\\', "/")
    }
}

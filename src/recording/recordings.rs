//! The folder of recordings, and what is done with them.
//!
//! Flows in: the key of an attempt. Flows out: what replays its recording, where there is one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::RecordingError;
use super::file;
use super::name;
use super::replay::Player;
use crate::context::CaseKey;

/// Where recordings are, and what is done with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recordings {
    /// Their folder.
    pub folder: PathBuf,
    /// The folder, as shown in messages.
    pub shown: String,
    /// What is done with them.
    pub mode: Mode,
    /// Whether a request may be another than the one that was recorded (`--replay-loose`).
    pub loose: bool,
}

/// What is done with recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Every test is run and recorded, over what is there.
    Record,
    /// Every test is played; one without a recording is an error.
    Replay,
    /// A test is played where there is a recording of it, and recorded where there is none.
    RecordMissing,
}

impl Recordings {
    /// The recording of `key`, ready to be played; `None` where there is none.
    pub(super) fn read(&self, key: &CaseKey) -> Result<Option<Player>, RecordingError> {
        let path = name::path(&self.folder, key);
        let shown = self.shown(key);
        let help = |help: &str| Some(help.to_owned());
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let message = format!("the recording `{shown}` cannot be read: {error}");
                return Err(RecordingError { message, help: help("record the test again with `--record`") });
            }
        };
        self.player(key, &text).map(Some)
    }

    /// What plays the recording `text` of `key`.
    pub(super) fn player(&self, key: &CaseKey, text: &str) -> Result<Player, RecordingError> {
        let shown = self.shown(key);
        match file::read(key, text) {
            Ok(recorded) => Ok(Player::new(recorded, shown, self.loose)),
            Err(file::Unreadable { line, message }) => {
                let message = format!("the recording `{shown}` cannot be played: line {line}: {message}");
                let help = Some("record the test again with `--record`".to_owned());
                Err(RecordingError { message, help })
            }
        }
    }

    /// Whether there is a recording of the first attempt at the test `id`.
    pub fn has(&self, id: &str) -> bool {
        name::path(&self.folder, &CaseKey::first(id)).is_file()
    }

    pub(super) fn missing(&self, key: &CaseKey) -> RecordingError {
        let what = match (key.run, key.attempt) {
            (1, 1) => "test".to_owned(),
            (1, attempt) => format!("test's attempt {attempt}"),
            (run, attempt) => format!("test's run {run}, attempt {attempt}"),
        };
        RecordingError {
            message: format!("there is no recording of this {what}: `{}` does not exist", self.shown(key)),
            help: Some(format!(
                "record it with `--record {}`, or what is missing with `--record-missing`",
                self.shown
            )),
        }
    }

    /// The file of `key`, as shown in messages.
    pub(super) fn shown(&self, key: &CaseKey) -> String {
        let path = name::path(Path::new(&self.shown), key);
        path.to_string_lossy().replace('\\', "/")
    }
}

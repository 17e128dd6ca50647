//! The file of the history: a run appends lines to it, and readers read its end.
//!
//! **Invariant:** a run has a shared lock from its first line to its last, and the file is replaced under the lock of one alone.
//! On a file system without locks nothing is ever removed.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde::Serialize;

use crate::report::own_folder::make_own_folder;

/// The path of the file, relative to the directory of the config.
pub const HISTORY: &str = ".ananke/history.jsonl";

/// The file that programs lock; the history itself is replaced.
const LOCK: &str = ".ananke/history.lock";

/// An empty file that says that a run could not write a line, or that a line could not be read. A disk that is full still takes
/// a name, so that this is known also where nothing can be written.
const LOST: &str = ".ananke/history.lost";

/// The size of the file from which on the oldest lines go, in bytes.
pub(super) const MOST_BYTES: u64 = 8 << 20;

/// The most bytes that are ever read: what all the lines of one run of very many tests need.
pub(super) const MOST_READ: u64 = 256 << 20;

/// The number of attempts to get a lock while another program removes old lines, and the time between them.
const TRIES: usize = 40;
const BETWEEN_TRIES: Duration = Duration::from_millis(25);

/// The history, open for the lines of one run.
#[derive(Debug)]
pub(super) struct HistoryFile {
    file: File,
    /// `None` on a file system without locks.
    _lock: Option<File>,
}

impl HistoryFile {
    /// The history of the project in `folder`, for a run that begins.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        make_own_folder(folder)?;
        let lock = lock(folder, File::try_lock_shared, TRIES);
        let path = folder.join(HISTORY);
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::other("it is not a file"));
        }
        let mut options = File::options();
        let mut file = options.read(true).append(true).create(true).open(path)?;
        // A line of which a full disk took only the beginning spoils no other one.
        let mut last = [b'\n'];
        if file.metadata()?.len() > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
        Ok(Self { file, _lock: lock })
    }

    /// Appends a line at once, so that a run that is killed leaves no half of one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn append(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)
    }
}

/// The lock of the history in `folder` for a program that replaces the file; `None` while a run goes on, whose lines would be lost,
/// or if the file system has no locks.
pub(super) fn lock_alone(folder: &Path) -> Option<File> {
    lock(folder, File::try_lock, 1)
}

/// The lock of the history in `folder`, taken with `take`, until it is dropped; `None` if another program does not let it go, or
/// the file system has no locks.
fn lock(folder: &Path, take: fn(&File) -> Result<(), TryLockError>, tries: usize) -> Option<File> {
    let mut options = File::options();
    let file = options
        .append(true)
        .create(true)
        .open(folder.join(LOCK))
        .ok()?;
    for tried in 1..=tries {
        match take(&file) {
            Ok(()) => return Some(file),
            Err(TryLockError::WouldBlock) if tried < tries => thread::sleep(BETWEEN_TRIES),
            Err(_) => return None,
        }
    }
    None
}

/// Marks that something is missing in the history of `folder`.
pub(super) fn mark_lost(folder: &Path) {
    if File::create(folder.join(LOST)).is_err() {
        // A history that is wrong is worse than none.
        let _is_left = fs::remove_file(folder.join(HISTORY));
    }
}

/// Removes the mark: a run of all tests finds everything out again.
pub(super) fn unmark_lost(folder: &Path) {
    let _is_gone = fs::remove_file(folder.join(LOST));
}

/// True if something is missing in the history of `folder`.
pub(super) fn is_marked_lost(folder: &Path) -> bool {
    folder.join(LOST).exists()
}

/// The end of the file.
#[derive(Debug, Default)]
pub(super) struct FileEnd {
    /// The bytes, from the beginning of a line.
    bytes: Vec<u8>,
    /// True if the file has more before them.
    pub(super) has_more: bool,
}

impl FileEnd {
    /// The lines, without their ends.
    pub(super) fn lines(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        let lines = self.bytes.split(|byte| *byte == b'\n');
        lines.filter(|line| !line.is_empty())
    }
}

/// The last bytes of the file, about as many as `most`.
///
/// # Errors
/// If it cannot be read.
pub(super) fn file_end(folder: &Path, most: u64) -> io::Result<FileEnd> {
    let path = folder.join(HISTORY);
    let found = path.metadata()?;
    // A pipe would wait for its writer.
    if !found.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut file = File::open(&path)?;
    let skipped = found.len().saturating_sub(most);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(2 * most).read_to_end(&mut bytes)?;
    let has_more = skipped > 0;
    if has_more {
        let first = bytes.iter().position(|byte| *byte == b'\n');
        bytes.drain(..first.map_or(bytes.len(), |end| end + 1));
    }
    Ok(FileEnd { bytes, has_more })
}

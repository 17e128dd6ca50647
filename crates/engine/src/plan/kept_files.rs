//! Test files that the plan has read and the run need not read again: reading a small file is most of what its test costs.
//!
//! **Invariant:** what is kept is bounded, so that a project of any size fits into little memory. It changes nothing but speed: a
//! file that is not kept is read again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::loaded_file::LoadedFile;

/// The number of bytes of text that a run of the command keeps: read, it takes up to 60 times that.
pub const KEPT_TEXT: usize = 64 * 1024;

/// The files that were kept.
#[derive(Debug)]
pub(super) struct KeptFiles(Mutex<Kept>);

#[derive(Debug)]
struct Kept {
    files: HashMap<PathBuf, Arc<LoadedFile>>,
    /// The number of bytes of text that may still be kept.
    room: usize,
    /// Whether they are kept although they were handed over.
    is_run_again: bool,
}

impl KeptFiles {
    /// Keeps files with this much text, in bytes.
    pub(super) fn new(room: usize) -> Self {
        Self(Mutex::new(Kept {
            files: HashMap::new(),
            room,
            is_run_again: false,
        }))
    }

    /// Keeps one file for tests that run again and again.
    pub(super) fn for_runs_of(path: &Path, file: Arc<LoadedFile>) -> Self {
        let files = HashMap::from([(path.to_owned(), file)]);
        Self(Mutex::new(Kept {
            files,
            room: 0,
            is_run_again: true,
        }))
    }

    /// Keeps a file if there is room.
    pub(super) fn keep(&self, path: &Path, file: LoadedFile) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(room), false) = (kept.room.checked_sub(file.text_len()), file.has_rows()) {
            kept.room = room;
            kept.files.insert(path.to_owned(), Arc::new(file));
        }
    }

    /// Hands a file over, once unless its tests run again.
    pub(super) fn take(&self, path: &Path) -> Option<Arc<LoadedFile>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_run_again {
            kept.files.get(path).cloned()
        } else {
            kept.files.remove(path)
        }
    }
}

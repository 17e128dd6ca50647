//! Test files that the plan has read and the run need not read again: reading a small file is most of what its test costs.
//!
//! **Invariant:** what is kept is bounded, so that a project of any size fits into little memory: one file of any size, and
//! others with [`KEPT_TEXT`]. It changes nothing but speed: a file that is not kept is read again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::loaded_file::LoadedFile;
use ananke_base::context::lock;

/// The number of bytes of text that a run of the command keeps: read, it takes up to 30 times that.
pub const KEPT_TEXT: usize = 128 * 1024;

/// The files that were kept.
#[derive(Debug)]
pub(crate) struct KeptFiles(Mutex<Kept>);

#[derive(Debug)]
struct Kept {
    files: HashMap<PathBuf, Arc<LoadedFile>>,
    /// The number of bytes of text that may still be kept.
    room: usize,
    /// Whether no file came yet. The first is kept however large it is: the run needs it at once.
    is_first: bool,
    /// Whether they are kept although they were handed over.
    is_run_again: bool,
}

impl KeptFiles {
    /// Keeps the first file, and others with this much text, in bytes; none if that is 0.
    pub(crate) fn new(room: usize) -> Self {
        Self(Mutex::new(Kept {
            files: HashMap::new(),
            room,
            is_first: room > 0,
            is_run_again: false,
        }))
    }

    /// Keeps one file for tests that run again and again.
    pub(crate) fn for_runs_of(path: &Path, file: Arc<LoadedFile>) -> Self {
        let files = HashMap::from([(path.to_owned(), file)]);
        Self(Mutex::new(Kept {
            files,
            room: 0,
            is_first: false,
            is_run_again: true,
        }))
    }

    /// Keeps a file if there is room.
    pub(crate) fn keep(&self, path: &Path, file: LoadedFile) {
        let mut kept = lock(&self.0);
        let room = kept.room.checked_sub(file.text_len());
        let is_first = std::mem::take(&mut kept.is_first);
        if (is_first || room.is_some()) && !file.has_rows() {
            kept.room = room.unwrap_or(kept.room);
            kept.files.insert(path.to_owned(), Arc::new(file));
        }
    }

    /// Hands a file over, once unless its tests run again.
    pub(crate) fn take(&self, path: &Path) -> Option<Arc<LoadedFile>> {
        let mut kept = lock(&self.0);
        if kept.is_run_again {
            kept.files.get(path).cloned()
        } else {
            kept.files.remove(path)
        }
    }
}

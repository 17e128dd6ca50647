//! A temporary directory, deleted when dropped.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A directory outside of the repository, so that no config above it is found.
pub(crate) struct Workplace(PathBuf);

impl Workplace {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = std::env::temp_dir()
            .canonicalize()
            .expect("there is a temporary directory");
        let folder = temporary.join(format!("ananke-case-{}-{number}", std::process::id()));
        // A killed run with the same process id may have left it.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a temporary directory can be made");
        Self(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

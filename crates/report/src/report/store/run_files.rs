//! The files of kept runs: how they are called, which of them stay, and which are still being written.
//!
//! **Invariant:** only files that are called as kept runs are, and that no run is writing, are ever removed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::numbered_files;
use crate::report::own_folder::make_own_folder;

/// The directory of the kept runs, relative to the directory of the config.
pub const RUNS: &str = ".ananke/runs";

/// The most bytes of all kept runs together.
pub(super) const MOST_BYTES: u64 = 256 << 20;

/// A new file for a run of the project in `project`, which only this user can read. It is locked until it is closed.
///
/// # Errors
/// If it cannot be created.
pub(super) fn create(project: &Path) -> io::Result<(File, PathBuf)> {
    make_own_folder(project)?;
    let folder = project.join(RUNS);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder)?;
    let (file, path) = numbered_files::create(&folder)?;
    // A file system without locks shows a run before it is over.
    let _ = file.lock();
    Ok((file, path))
}

/// The kept runs of the project in `project` that are over, the newest first.
pub fn kept_runs(project: &Path) -> Vec<PathBuf> {
    let mut paths = numbered_files::ended(&project.join(RUNS));
    paths.reverse();
    paths
}

/// Removes the oldest runs, so that `most` are left, and no more bytes than are allowed.
pub(super) fn remove_oldest(project: &Path, most: usize) {
    let mut bytes = 0;
    for (index, path) in kept_runs(project).iter().enumerate() {
        bytes += path.metadata().map_or(0, |found| found.len());
        // The newest stays, however large it is.
        if index >= most || (index > 0 && bytes > MOST_BYTES) {
            let _is_gone = fs::remove_file(path);
        }
    }
}

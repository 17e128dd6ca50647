//! The files of kept runs: how they are called, which of them stay, and which are still being written.
//!
//! **Invariant:** only files that are called as kept runs are, and that no run is writing, are ever removed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::report::own_folder::make_own_folder;

/// The directory of the kept runs, relative to the directory of the config.
pub const RUNS: &str = ".ananke/runs";

/// The file extension of kept runs.
const EXTENSION: &str = "jsonl";

/// The most bytes of all kept runs together.
pub(super) const MOST_BYTES: u64 = 256 << 20;

/// A new file for the run `name` of the project in `project`, which only this user can read. It is locked until it is closed.
///
/// # Errors
/// If it cannot be created.
pub(super) fn create(project: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    make_own_folder(project)?;
    let folder = project.join(RUNS);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder)?;
    let path = folder.join(name).with_extension(EXTENSION);
    let mut options = File::options();
    options.append(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path)?;
    // A file system without locks shows a run before it is over.
    let _ = file.lock();
    Ok((file, path))
}

/// The kept runs of the project in `project` that are over, the newest first.
pub fn kept_runs(project: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(project.join(RUNS))
        .into_iter()
        .flatten()
        .flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| is_run(path) && !is_being_written(path))
        .collect();
    paths.sort();
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

fn is_run(path: &Path) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let parts = stem.and_then(|stem| stem.split_once('-'));
    path.extension()
        .is_some_and(|extension| extension == EXTENSION)
        && parts.is_some_and(|(time, process)| is_number(time) && is_number(process))
        && fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

fn is_being_written(path: &Path) -> bool {
    let taken = File::open(path).map(|file| file.try_lock_shared());
    matches!(taken, Ok(Err(fs::TryLockError::WouldBlock)))
}

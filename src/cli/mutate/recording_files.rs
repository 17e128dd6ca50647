//! The recordings that are selected: files, and those in directories.

use std::io;
use std::path::{Path, PathBuf};

use ananke::recording::is_recording;
use ananke::text::natural_path_order;

/// The recordings in `path`, which is one or a directory with some, in the order of their paths.
///
/// # Errors
/// If it cannot be read.
pub(super) fn recordings_in(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.metadata()?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir()? {
            let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
            if kind.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "jsonl")
                && is_recording(&path)
            {
                found.push(path);
            }
        }
    }
    found.sort_by(|one, other| natural_path_order(one, other));
    Ok(found)
}

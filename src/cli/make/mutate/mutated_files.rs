//! The files that `ananke mutate` looks at: the recordings that are selected, and the files that changed since a commit,
//! according to git.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// The files that differ from the commit `reference`, and those that git does not know, in the repository of `folder`.
///
/// # Errors
/// The message of git.
pub(super) fn changed_files(folder: &Path, reference: &str) -> Result<BTreeSet<PathBuf>, String> {
    if reference.starts_with('-') {
        return Err(format!("`{reference}` is not a commit"));
    }
    let root = PathBuf::from(git(folder, &["rev-parse", "--show-toplevel"])?.trim_end());
    let changed = git(&root, &["diff", "--name-only", "-z", reference, "--"])?;
    let new = git(&root, &["ls-files", "--others", "--exclude-standard", "-z"])?;
    let names = changed
        .split('\0')
        .chain(new.split('\0'))
        .filter(|name| !name.is_empty());
    Ok(names.map(|name| root.join(name)).collect())
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let output = output.map_err(|error| format!("`git` cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr)
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned();
    Err(if said.is_empty() {
        "`git` failed".to_owned()
    } else {
        said
    })
}

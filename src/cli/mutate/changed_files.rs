//! The files that changed since a commit, according to git.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

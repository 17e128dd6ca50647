//! Which files are tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use super::Selection;
use super::config::{self, CONFIG_NAME};
use super::snapshot::kept_of;
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::golden;

/// The globs without a setting (SPEC 1).
pub(super) fn default_specs() -> Vec<String> {
    vec!["**/*.test.yaml".to_owned(), "**/*.test.yml".to_owned()]
}

/// What a project has in its folders.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The test files, sorted and each once.
    pub(super) files: Vec<PathBuf>,
    /// What may be snapshots of theirs.
    pub(super) snapshots: BTreeSet<PathBuf>,
}

/// The selected test files. A path that is named is taken whatever its name.
pub(super) fn discover(
    context: &Context,
    selection: &Selection,
    folder: &Path,
    specs: &[String],
    problems: &mut Vec<Diagnostic>,
) -> Found {
    let globs = glob_set(specs);
    let mut files = BTreeSet::new();
    let mut snapshots = BTreeSet::new();
    if selection.paths.is_empty() {
        walk(context, folder, folder, &globs, (&mut files, &mut snapshots), problems);
    }
    for named in &selection.paths {
        let path = absolute(context, named);
        if selection.config.is_none()
            && let Some(other) = config::nearest(&path).filter(|nearest| nearest.parent() != Some(folder))
        {
            problems.push(other_config(context, named, folder, &other));
        } else if path.is_dir() {
            walk(context, &path, folder, &globs, (&mut files, &mut snapshots), problems);
        } else {
            snapshots.extend(kept_of(&path));
            files.insert(path);
        }
    }
    Found { files: files.into_iter().collect(), snapshots }
}

fn other_config(context: &Context, named: &Path, folder: &Path, other: &Path) -> Diagnostic {
    let message = format!(
        "`{}` belongs to `{}`, this run to `{}`",
        named.display(),
        display_name(context, other),
        display_name(context, &folder.join(CONFIG_NAME))
    );
    Diagnostic::error(Code::OtherConfig, message).help("one run has one config: run them one after the other")
}

/// Below `start`, without what `.gitignore` names, hidden folders and folders with a config of their own. Globs count
/// from `folder`.
fn walk(
    context: &Context,
    start: &Path,
    folder: &Path,
    globs: &GlobSet,
    (files, snapshots): (&mut BTreeSet<PathBuf>, &mut BTreeSet<PathBuf>),
    problems: &mut Vec<Diagnostic>,
) {
    let own = start.to_path_buf();
    let walker = WalkBuilder::new(start)
        .require_git(false)
        .git_global(false)
        .git_exclude(false)
        .ignore(false)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            !(is_folder && entry.path() != own && entry.path().join(CONFIG_NAME).is_file())
        })
        .build();
    for entry in walker {
        match entry {
            Ok(entry) => {
                let path = entry.path();
                let is_file = entry.file_type().is_some_and(|kind| kind.is_file())
                    || (entry.path_is_symlink() && path.is_file());
                if is_file && globs.is_match(path.strip_prefix(folder).unwrap_or(path)) {
                    files.insert(path.to_path_buf());
                } else if is_file && golden::is_named(path) {
                    snapshots.insert(path.to_path_buf());
                }
            }
            Err(error) => {
                problems.push(unreadable(context, start, &error));
            }
        }
    }
}

fn unreadable(context: &Context, start: &Path, error: &ignore::Error) -> Diagnostic {
    let place = display_name(context, place(error).unwrap_or(start));
    let reason = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
    Diagnostic::error(Code::Unreadable, format!("`{place}` cannot be read: {reason}"))
}

fn place(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place(err),
        _ => None,
    }
}

/// The set of `patterns`; those that are no glob were reported by the config.
fn glob_set(patterns: &[String]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        if let Ok(glob) = GlobBuilder::new(pattern).literal_separator(true).build() {
            builder.add(glob);
        }
    }
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}

/// `path` from the working directory, `~` at its start as the home folder, without `.` and `..` parts.
pub(super) fn absolute(context: &Context, path: &Path) -> PathBuf {
    absolute_from(context, &context.working_directory, path)
}

/// As [`absolute`], from another folder.
pub(super) fn absolute_from(context: &Context, folder: &Path, path: &Path) -> PathBuf {
    let text = path.to_string_lossy();
    let home = context.home.as_ref().map(|home| home.to_string_lossy().into_owned());
    let expanded = shellexpand::tilde_with_context(&text, || home);
    let joined = folder.join(expanded.as_ref());
    let mut plain = PathBuf::new();
    for part in joined.components() {
        match part {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// How messages show `path`: from the working directory where it lies below it, with `/`.
pub(super) fn display_name(context: &Context, path: &Path) -> String {
    let shown = path.strip_prefix(&context.working_directory).unwrap_or(path);
    let text = shown.to_string_lossy().replace('\\', "/");
    if text.is_empty() { ".".to_owned() } else { text }
}

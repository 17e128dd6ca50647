//! Paths of the command line, and as messages show them.

use std::path::{Path, PathBuf};

use ananke::context::Context;
use ananke::text::escape;

/// A path with what messages call it: as it was given.
pub(crate) fn named_path(path: &Path, context: &Context) -> (PathBuf, String) {
    (
        context.working_directory.join(path),
        path.display().to_string(),
    )
}

/// A path as messages show it: from the working directory, if it is below.
pub(crate) fn shown_path(path: &Path, context: &Context) -> String {
    let path = path
        .strip_prefix(&context.working_directory)
        .unwrap_or(path);
    escape::line(&path.to_string_lossy()).replace('\\', "/")
}

//! Paths of the command line.

use std::path::{Path, PathBuf};

use ananke::context::Context;

/// A path with what messages call it: as it was given.
pub(super) fn named_path(path: &Path, context: &Context) -> (PathBuf, String) {
    (
        context.working_directory.join(path),
        path.display().to_string(),
    )
}

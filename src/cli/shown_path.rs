//! A path as messages show it.

use std::path::Path;

use ananke::context::Context;
use ananke::text::escape;

/// A path as messages show it: from the working directory, if it is below.
pub(super) fn shown_path(path: &Path, context: &Context) -> String {
    let path = path
        .strip_prefix(&context.working_directory)
        .unwrap_or(path);
    escape::line(&path.to_string_lossy()).replace('\\', "/")
}

//! The test files of a project whose tests may have their rows in a file.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::project::discover;
use ananke_base::context::Context;
use ananke_base::source::MAX_BYTES;

/// The key that names a file of rows.
const KEY: &str = "cases";

/// The test files of the project in `folder` with a line that names the file at `path` under `cases`.
pub(crate) fn row_users(
    path: &Path,
    context: &Context,
    folder: &Path,
    specs: &[String],
) -> Vec<PathBuf> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    let is_user = |text: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(KEY));
        lines.any(|(_, value)| value.contains(name))
    };
    // Problems of other files of the project do not concern the one that is named.
    let mut found = discover(context, &[], None, folder, specs, &mut Vec::new()).files;
    found.retain(|test| test != path && is_user(&file_text(context, test)));
    found
}

/// The text of a test file, as far as it can be read.
pub(crate) fn file_text(context: &Context, path: &Path) -> String {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let _unreadable = context
        .files
        .open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

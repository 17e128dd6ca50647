//! The text of a test file, for a search in it before it is loaded.

use std::io::Read as _;
use std::path::Path;

use ananke_base::context::Context;
use ananke_base::source::MAX_BYTES;

/// The text of a test file, as far as it can be read.
pub(super) fn file_text(context: &Context, path: &Path) -> String {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let _unreadable = context
        .files
        .open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

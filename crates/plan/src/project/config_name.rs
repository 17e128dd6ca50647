//! The name of a project config, and the nearest config of a file.

use std::path::{Path, PathBuf};

use ananke_base::context::Files;

/// The file name of a project config.
pub const CONFIG_NAME: &str = "ananke.config.yaml";

/// The nearest config at or above `path`.
pub(super) fn nearest(files: &Files, path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .map(|folder| folder.join(CONFIG_NAME))
        .find(|file| files.is_file(file))
}

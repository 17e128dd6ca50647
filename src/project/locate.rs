//! Finds the project config of a command.

use std::path::{Path, PathBuf};

use super::paths::{absolute, display_name};
use crate::context::{Context, Files};
use crate::diagnostic::{Code, Diagnostic};

/// The file name of a project config.
pub const CONFIG_NAME: &str = "ananke.config.yaml";

/// The config: the `named` one, else the nearest above the first of `paths`, else above the working directory.
///
/// # Errors
/// If there is none.
pub fn locate(context: &Context, named: Option<&Path>, paths: &[PathBuf]) -> Result<PathBuf, Diagnostic> {
    if let Some(named) = named {
        return Ok(absolute(context, named));
    }
    let first = paths.first().map(|path| absolute(context, path));
    let start = first.as_deref().unwrap_or(&context.working_directory);
    nearest(&context.files, start).ok_or_else(|| {
        let start = display_name(context, start);
        Diagnostic::error(
            Code::ConfigMissing,
            format!("no `{CONFIG_NAME}` in `{start}` or a folder above it"),
        )
        .help("start a project with `ananke init`, or name a config with `--config PATH`")
    })
}

/// The nearest config at or above `path`.
pub(super) fn nearest(files: &Files, path: &Path) -> Option<PathBuf> {
    path.ancestors().map(|folder| folder.join(CONFIG_NAME)).find(|file| files.is_file(file))
}

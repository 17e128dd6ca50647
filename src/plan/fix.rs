//! What `ananke check --fix` mends: files whose version is older than their keys.

use std::path::Path;

use super::selection::Selection;
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::project::{Reading, default_specs, discover, display_name, locate};
use crate::schema::{FileKind, Version, raised};
use crate::source;

/// A file that was mended, as messages show it, and the version it says now.
pub type Raised = (String, Version);

/// Raises the version of every selected file that uses newer keys, the config included.
///
/// # Errors
/// Where a mended file cannot be written; those before it are mended.
pub fn raise_versions(context: &Context, selection: &Selection) -> Result<Vec<Raised>, Diagnostic> {
    // What cannot be found or read is told by the check that follows.
    let Ok(config) = locate(context, selection.config.as_deref(), &selection.paths) else {
        return Ok(Vec::new());
    };
    let folder = config.parent().unwrap_or(&context.working_directory).to_path_buf();
    let mut done: Vec<Raised> = raise(context, FileKind::Config, &config)?.into_iter().collect();
    let specs = Reading::of(context, &config, &mut Vec::new())
        .and_then(|reading| reading.whole()?.specs(&mut Vec::new()))
        .unwrap_or_else(default_specs);
    for file in
        discover(context, &selection.paths, selection.config.is_some(), &folder, &specs, &mut Vec::new())
            .files
    {
        done.extend(raise(context, FileKind::Test, &file)?);
    }
    Ok(done)
}

fn raise(context: &Context, kind: FileKind, path: &Path) -> Result<Option<Raised>, Diagnostic> {
    let name = display_name(context, path);
    let Ok(source) = source::read(path, &name) else { return Ok(None) };
    let Some((text, version)) = raised(kind, &source) else { return Ok(None) };
    let marked = std::fs::read(path).is_ok_and(|bytes| bytes.starts_with("\u{feff}".as_bytes()));
    let text = if marked { format!("\u{feff}{text}") } else { text };
    std::fs::write(path, text).map_err(|error| {
        Diagnostic::error(Code::Unreadable, format!("`{name}` cannot be written: {error}"))
    })?;
    Ok(Some((name, version)))
}

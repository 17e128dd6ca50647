//! Checks single files as an editor has them: unsaved text instead of what is on the disk.

use std::path::Path;

use crate::plan::{Selection, plan};
use ananke_base::context::{Context, absolute};
use ananke_base::diagnostic::Diagnostic;
use ananke_plan::project::CONFIG_NAME;
use ananke_trace::redact::Redactor;

/// The projects of an editor, whose files are checked one by one while they are written. The documentation of the crate
/// has an example.
pub struct Workspace {
    context: Context,
}

impl Workspace {
    /// A workspace whose files are read and whose variables are known through `context`.
    pub fn new(context: Context) -> Self {
        Self { context }
    }

    /// The problems that `ananke check` would report of the file at `path` if it contained `text`, sorted by place. The
    /// config above it is read from the disk, and what the file refers to; nothing is written, and no other test file is
    /// looked at. A config is checked with all tests of its project, which say how its targets are used.
    pub fn check(&self, path: &Path, text: &str) -> Vec<Diagnostic> {
        let path = absolute(&self.context, path);
        let files = self.context.files.with_unsaved(path.clone(), text);
        let context = Context {
            files,
            ..self.context.clone()
        };
        let is_config = path.file_name().is_some_and(|name| name == CONFIG_NAME);
        let selection = Selection {
            paths: if is_config {
                Vec::new()
            } else {
                vec![path.clone()]
            },
            config: is_config.then(|| path.clone()),
            allow_empty: true,
            checks: true,
            ..Selection::default()
        };
        let mut problems = plan(&context, &selection, &Redactor::default()).problems;
        problems.retain(|problem| {
            problem
                .source
                .as_ref()
                .is_none_or(|source| source.path == path)
        });
        problems
    }
}

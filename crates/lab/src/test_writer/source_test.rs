//! The test that a conversation is of, as it is written in its file.

use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::source::{self, Node};
use ananke_plan::TestEntry;
use ananke_trace::redact::Redactor;

use crate::lab_error::LabError;

/// A test as it is written.
#[derive(Clone, Debug)]
pub(crate) struct SourceTest {
    /// Whether it is the only test of its file.
    pub(crate) is_alone: bool,
    /// Its keys, without the version.
    pub(crate) tree: Node,
}

impl SourceTest {
    /// Reads the test.
    ///
    /// # Errors
    /// If its file cannot be read any more, or is a case file.
    pub(crate) fn read(context: &Context, entry: &TestEntry) -> Result<Self, LabError> {
        if entry.part.is_some() {
            let message = format!(
                "`{}` is a case file, and only tests in YAML are made into others",
                entry.file
            );
            let help = "convert it with `ananke convert`, and record the tests again";
            return Err(LabError::refused(message, help));
        }
        let broken = |problems| LabError::Broken(problems, Redactor::default());
        let source = source::read(&context.files, &entry.path, &entry.file);
        let source = source.map_err(|problem| broken(vec![problem]))?;
        let mut root = source::parse(&source).map_err(broken)?;
        root.remove("version");
        let is_alone = root.get("tests").is_none();
        let tree = match root.get("tests") {
            Some(tests) => tests.items().get(entry.index).cloned(),
            None => Some(root),
        };
        let changed = || {
            let message = format!("`{}` changed while it was read", entry.file);
            broken(vec![Diagnostic::error(Code::Unreadable, message)])
        };
        let mut tree = tree.ok_or_else(changed)?;
        let extension_keys: Vec<String> = tree
            .entries()
            .iter()
            .filter(|entry| entry.key.starts_with("x-"))
            .map(|entry| entry.key.clone())
            .collect();
        for key in extension_keys {
            tree.remove(&key);
        }
        Ok(Self { is_alone, tree })
    }
}

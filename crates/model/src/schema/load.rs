//! From a text to a value of the model, or every problem of the file.

use std::sync::Arc;

use super::{FileKind, Version, check::check, version};
use crate::model::File;
use ananke_base::diagnostic::{self, Code, Diagnostic, SourceFile};
use ananke_base::source::{self, Node, NodeValue, TypeMismatch};

/// A file that was read and fits its schema.
#[derive(Clone, Debug)]
pub struct LoadedDocument<T> {
    /// The content of the file.
    pub value: T,
    /// The tree it was read from, with the place of every key and value.
    pub node: Node,
    /// The version it declares.
    pub version: Version,
}

/// Reads a file's text as a value of the model. A file that declares no version has that of its config (`of_config`), which has
/// to declare one itself.
///
/// # Errors
/// Every problem of the file, in the order of the text.
pub fn load<T: File>(
    kind: FileKind,
    source: &Arc<SourceFile>,
    of_config: Option<Version>,
) -> Result<LoadedDocument<T>, Vec<Diagnostic>> {
    let (node, mut problems) = source::tree(source);
    let Some(mut node) = node else {
        return Err(problems);
    };
    version::spell(source, &mut node);
    let version = match version::of(source, &node, of_config) {
        Ok(version) => {
            source.set_version((version.major, version.minor));
            Some(version)
        }
        // A file that is not a mapping is reported with its shape.
        Err(_) if !matches!(node.value, NodeValue::Map(_)) => None,
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    let checked = check(kind, source, &node, version);
    problems.extend(checked.problems);
    if checked.repairs.rename_keys() {
        // Each key has one name from here on. What stands under a misspelt one is checked now.
        node = checked.repairs.apply(&node).0;
        if !problems.is_empty() {
            problems.extend(check(kind, source, &node, version).problems);
        }
    }
    if let (Some(version), true) = (version, problems.is_empty()) {
        match T::read(&node) {
            Ok(value) => {
                return Ok(LoadedDocument {
                    value,
                    node,
                    version,
                });
            }
            // The second net: the types refuse what the schema lets through.
            Err(TypeMismatch { message, span, .. }) => {
                problems.push(Diagnostic::error(Code::WrongType, message).at(source, span, ""));
            }
        }
    }
    diagnostic::sort(&mut problems);
    Err(problems)
}

//! From a text to a value of the model, or every problem of the file.

use std::sync::Arc;

use super::{FileKind, Version, check::check, promptfoo::promptfoo_problem, version};
use crate::model::File;
use ananke_base::diagnostic::{self, Code, Diagnostic, Label, SourceFile};
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
    if let Some(problem) = promptfoo_problem(source, &node) {
        return Err(vec![problem]);
    }
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
        let places = checked.repairs.under_renamed(&node);
        // Each key has one name from here on.
        let (repaired, changed) = checked.repairs.apply(&node);
        node = repaired;
        // A target that extends another is checked with the keys of every type: of those a rename says nothing.
        if !problems.is_empty() && kind == FileKind::Test {
            // What stands under a misspelt key was not looked at so far.
            let is_unseen =
                |label: &Label| places.contains(&label.span) && !changed.contains(&label.span);
            let under = check(kind, source, &node, version).problems.into_iter();
            problems.extend(under.filter(|problem| problem.labels.iter().all(is_unseen)));
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

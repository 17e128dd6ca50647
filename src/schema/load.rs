//! From a text to a value of the model, or every problem of the file.

use std::sync::Arc;

use super::embedded::FileKind;
use super::validate::validate;
use super::version::{self, Version};
use super::walk::walk;
use crate::diagnostic::{self, Code, Diagnostic, SourceFile};
use crate::model::File;
use crate::source::{self, Node, NodeValue};

/// A file that was read and fits its schema.
#[derive(Clone, Debug)]
pub struct Loaded<T> {
    /// What it says.
    pub value: T,
    /// The tree it was read from, with the place of every key and value.
    pub node: Node,
    /// The version it declares.
    pub version: Version,
}

/// Reads a file's text as a value of the model.
///
/// # Errors
/// Every problem of the file, in the order of the text.
pub fn load<T: File>(kind: FileKind, source: &Arc<SourceFile>) -> Result<Loaded<T>, Vec<Diagnostic>> {
    let (node, mut problems) = source::tree(source);
    let Some(node) = node else { return Err(problems) };
    let version = match version::of(source, &node) {
        Ok(version) => Some(version),
        // What is no mapping at all is told by the validator.
        Err(_) if !matches!(node.value, NodeValue::Map(_)) => None,
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    let walked = walk(kind, source, &node, version);
    problems.extend(walked.problems);
    let typed = T::read(&node);
    if typed.is_err() || walked.doubt {
        problems.extend(validate(kind, source, &node));
    }
    match (typed, version) {
        (Ok(value), Some(version)) if problems.is_empty() => return Ok(Loaded { value, node, version }),
        // The second net: the types refuse what the schema lets through.
        (Err(mismatch), _) if problems.is_empty() => {
            problems.push(Diagnostic::error(Code::WrongType, mismatch.message).at(source, mismatch.span, ""));
        }
        _ => {}
    }
    diagnostic::sort(&mut problems);
    Err(problems)
}

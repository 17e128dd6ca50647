//! Every problem of a tree that does not fit its schema.

use std::sync::{Arc, OnceLock};

use jsonschema::{Draft, PatternOptions, Validator};

use super::embedded::{FileKind, embedded};
use super::errors::Errors;
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::source::Node;

/// Holds a tree against the schema of its kind of file.
pub(super) fn validate(kind: FileKind, source: &Arc<SourceFile>, node: &Node) -> Vec<Diagnostic> {
    let Some(validator) = validator(kind) else { return Vec::new() };
    let value = node.to_json();
    let mut errors = Errors::new(source, embedded(kind), node);
    for error in validator.iter_errors(&value) {
        errors.add(&error);
    }
    errors.finish()
}

/// The compiled schema; compiled only when a file is wrong, and once.
fn validator(kind: FileKind) -> Option<&'static Validator> {
    static CONFIG: OnceLock<Option<Validator>> = OnceLock::new();
    static TEST: OnceLock<Option<Validator>> = OnceLock::new();
    let cell = match kind {
        FileKind::Config => &CONFIG,
        FileKind::Test => &TEST,
    };
    let compile = || {
        jsonschema::options()
            .with_draft(Draft::Draft7)
            // Linear, whatever the file holds.
            .with_pattern_options(PatternOptions::regex())
            // `format` speaks to editors; what it stands for is checked with better words elsewhere.
            .should_validate_formats(false)
            .build(embedded(kind))
            .ok()
    };
    cell.get_or_init(compile).as_ref()
}

//! Placeholder: to be replaced.
use super::Node;
use crate::diagnostic::{Diagnostic, SourceFile};
use std::sync::Arc;
/// Reads a YAML document.
///
/// # Errors
/// Problems.
pub fn parse(_source: &Arc<SourceFile>) -> Result<Node, Vec<Diagnostic>> {
    Err(Vec::new())
}

//! Why there is no row.

use crate::diagnostic::Span;

/// Why there is no row: what is wrong and where.
#[derive(Debug)]
pub(super) struct RowError {
    pub(super) message: String,
    pub(super) help: Option<String>,
    pub(super) span: Option<Span>,
}

impl RowError {
    pub(super) fn new(message: String, help: &str) -> Self {
        Self { message, help: Some(help.to_owned()).filter(|help| !help.is_empty()), span: None }
    }
}

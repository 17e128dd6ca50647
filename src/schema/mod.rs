//! Placeholder.
use crate::diagnostic::{Diagnostic, SourceFile};
use serde::de::DeserializeOwned;
use std::sync::Arc;
/// x
pub enum FileKind {
    /// c
    Config,
    /// t
    Test,
}
/// x
pub struct Loaded<T> {
    /// v
    pub value: T,
}
/// x
/// # Errors
/// x
pub fn load<T: DeserializeOwned>(_k: FileKind, s: &Arc<SourceFile>) -> Result<Loaded<T>, Vec<Diagnostic>> {
    let node = crate::source::parse(s)?;
    crate::source::from_node(&node, crate::model::TAG_DEFAULTS)
        .map(|value| Loaded { value })
        .map_err(|m| vec![Diagnostic::error(crate::diagnostic::Code::WrongType, m.message).at(s, m.span, "")])
}

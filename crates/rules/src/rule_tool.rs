//! The name of a tool in a rule.

use std::borrow::Cow;

use ananke_base::diagnostic::Span;

/// The name of a tool in a rule.
#[derive(Clone, Debug)]
pub(crate) struct RuleTool<'r> {
    /// The name.
    pub(crate) name: Cow<'r, str>,
    /// Whether tools have it that have something before it which ends with `__` or `.`.
    pub(crate) is_suffix: bool,
    /// The place of the name in its file, unless it is that of the rule.
    pub(crate) span: Option<Span>,
}

impl<'r> RuleTool<'r> {
    /// The exact name of a tool.
    pub(crate) fn exact(name: &'r str, span: Option<Span>) -> Self {
        Self {
            name: Cow::Borrowed(name),
            is_suffix: false,
            span,
        }
    }
}

//! The context against which the rules of a test are checked, and the words for two places.

use std::sync::Arc;

use crate::evaluation::RuleOrigin;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span};

/// The context against which the rules of a test are checked.
#[derive(Clone, Copy, Debug)]
pub struct LintContext<'a> {
    /// The file of the target.
    pub config: &'a Arc<SourceFile>,
    /// The file of the test.
    pub test: &'a Arc<SourceFile>,
    /// The place of the test's name.
    pub name: Span,
    /// The timeout of a turn; `None` if it is known later.
    pub timeout: Option<Timeout>,
    /// The timeout of the whole test; `None` if the test does not say it or it is known later.
    pub whole_timeout_ms: Option<u64>,
}

/// The timeout of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeout {
    /// In milliseconds.
    pub ms: u64,
    /// The place of the setting in the config; `None` if it is the default.
    pub span: Option<Span>,
}

impl LintContext<'_> {
    pub(super) fn source(&self, origin: &RuleOrigin) -> &Arc<SourceFile> {
        if origin.place.file == self.config.name {
            self.config
        } else {
            self.test
        }
    }

    /// A warning about `first` because of `second`: underlined as well if it is in the same file, else said in words.
    pub(super) fn warning(
        &self,
        code: Code,
        message: String,
        (first, beside_first): (&RuleOrigin, &str),
        (second, second_note): (&RuleOrigin, &str),
    ) -> Diagnostic {
        let warning =
            Diagnostic::warning(code, message).at(self.source(first), first.span, beside_first);
        if Arc::ptr_eq(self.source(first), self.source(second)) {
            return warning.at(self.source(second), second.span, second_note);
        }
        warning.help(format!(
            "{second_note} by the {}, {}",
            second.level.as_str(),
            second.place
        ))
    }
}

//! Everything a user can mend, as a value: what is wrong, where, what was expected, what to do.
//!
//! A [`Diagnostic`] is inert: renderers (one a file below `render/`) turn it into text. Wording: lower case, no full
//! stop, backticks round text of the user's.

mod alignment;
mod code;
mod difference;
mod excerpt;
mod explained;
pub mod render;
mod source_file;
mod span;

use std::fmt;
use std::sync::Arc;

pub use code::Code;
pub use difference::{Difference, DifferenceLine, Hunk, Side};
pub use excerpt::{Excerpt, ExcerptLine};
pub use explained::{Example, ExampleFile, Explained};
pub use source_file::{Place, SourceFile};
pub use span::{Span, Spanned};

/// How bad it is: an error stops the run before anything is sent, a warning does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing runs while one of these stands.
    Error,
    /// Worth mending; the run goes on.
    Warning,
}

/// A place in the source and what to say beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// What is underlined.
    pub span: Span,
    /// The words beside the underline; may be empty.
    pub text: String,
}

/// One problem of one file.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Which kind of problem this is: stable, searchable.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, on one line.
    pub message: String,
    /// The file, where the problem has one.
    pub source: Option<Arc<SourceFile>>,
    /// The primary place first; all in `source`.
    pub labels: Vec<Label>,
    /// What to do, one sentence each.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            source: None,
            labels: Vec::new(),
            help: Vec::new(),
        }
    }

    /// A warning without a place.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Puts the problem into a file, with `text` beside the place (may be empty).
    #[must_use]
    pub fn at(mut self, source: &Arc<SourceFile>, span: Span, text: impl Into<String>) -> Self {
        self.source = Some(Arc::clone(source));
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Puts the problem into a file as a whole.
    #[must_use]
    pub fn in_file(mut self, source: &Arc<SourceFile>) -> Self {
        self.source = Some(Arc::clone(source));
        self
    }

    /// Adds a sentence that says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// File, line and column of the primary place (line and column 1 where only the file is known).
    pub fn place(&self) -> Option<Place> {
        let source = self.source.as_ref()?;
        Some(source.place(self.labels.first().map_or(Span::default(), |label| label.span)))
    }
}

/// Sorts by file, then place, errors and warnings together, and drops exact repetitions: the order a person reads in.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    let key = |diagnostic: &Diagnostic| {
        let name = diagnostic.source.as_ref().map(|source| source.name.clone());
        let span = diagnostic.labels.first().map_or(Span::default(), |label| label.span);
        (name, span, diagnostic.message.clone())
    };
    diagnostics.sort_by_key(key);
    diagnostics.dedup_by(|a, b| key(a) == key(b));
}

/// One line: `file:line:column: error[code]: message`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place() {
            write!(formatter, "{}:{}:{}: ", place.file, place.line, place.column)?;
        }
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(formatter, "{severity}[{}]: {}", self.code, self.message)
    }
}
